internal import Foundation
internal import MusterReplica

/// The files in which one device's holdings are kept, outside the node's home and beside its
/// sentinel.
///
/// Two are written in turn, so that a write cut short spoils the older of both at most. Before one
/// is written the other is synced, so that one is always on the disk; that costs next to nothing
/// where the system has long written it back. What a loss of power takes makes the floor lower, and
/// never wrong, since what is written has been committed before.
struct HoldingsFile {
  private let directory: String
  private let paths: [String]
  private var counter: UInt64?

  /// - Parameter directory: `NodeHome.stateDirectory`; made by the first write if need be.
  init(directory: String, credentials: Credentials) {
    self.directory = directory
    paths = (0...1).map { "\(directory)/\(credentials.device).held-\($0)" }
  }

  /// The newest that is whole; nil where there is none.
  mutating func read(of credentials: Credentials) throws(HomeError) -> Holdings? {
    var newest: (counter: UInt64, holdings: Holdings)?
    for path in paths {
      let bytes: [UInt8]
      do {
        bytes = try OpenFile(path, O_RDONLY | O_NONBLOCK, for: .read)
          .bytes(at: 0, upTo: Holdings.mostBytes + 1)
      } catch {
        if case .system(_, _, ENOENT) = error { continue }
        throw error
      }
      guard let read = Holdings.opened(bytes, of: credentials) else { continue }
      if newest.map({ $0.counter < read.counter }) ?? true { newest = read }
    }
    counter = newest?.counter
    return newest?.holdings
  }

  /// MUST follow the commit of what it tells, and a `read`. A failure hinders nothing else.
  mutating func write(_ holdings: Holdings, of credentials: Credentials) throws(HomeError) {
    let next = counter.map { $0 + 1 } ?? 0
    let (path, other) = (paths[Int(next % 2)], paths[Int((next + 1) % 2)])
    try Folder.prepare(directory, .unwritableByOthers)
    if try Folder.size(of: other) != nil {
      try OpenFile(other, O_RDWR | O_NONBLOCK, for: .write).sync()
    }
    let file = try OpenFile(path, O_RDWR | O_CREAT | O_NONBLOCK, for: .write)
    guard try file.status().st_mode & S_IFMT == S_IFREG else { throw .notAFile(path) }
    try file.empty()
    try file.overwrite(
      with: holdings.sealed(counter: next, of: credentials, seed: systemSeed()), at: 0)
    counter = next
  }
}
