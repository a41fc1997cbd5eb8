internal import Foundation
internal import MusterReplica

/// The files with one device's holdings, outside the node's home, beside its sentinel.
///
/// Two files are written alternately, so that a partial write damages only the older one. Before
/// one is written, the other is synced, so that one of them is always on disk; that is cheap,
/// because the system has usually written it back long before. A power failure can make the
/// recorded lengths too low, but never wrong, because only committed data is recorded.
struct FrontierFile {
  private let directory: String
  private let paths: [String]
  private var counter: UInt64?

  /// - Parameter directory: `NodeHome.stateDirectory`; the first write creates it if necessary.
  init(directory: String, credentials: Credentials) {
    self.directory = directory
    paths = (0...1).map { "\(directory)/\(credentials.device).held-\($0)" }
  }

  /// Returns the newest intact record; nil without one.
  mutating func read(of credentials: Credentials) throws(HomeError) -> Frontier? {
    var newest: (counter: UInt64, holdings: Frontier)?
    for path in paths {
      let bytes: [UInt8]
      do {
        bytes = try OpenFile(path, O_RDONLY | O_NONBLOCK, for: .read)
          .bytes(at: 0, upTo: Frontier.mostBytes + 1)
      } catch {
        if case .system(_, _, ENOENT) = error { continue }
        throw error
      }
      guard let read = Frontier.opened(bytes, of: credentials) else { continue }
      if newest.map({ $0.counter < read.counter }) ?? true { newest = read }
    }
    counter = newest?.counter
    return newest?.holdings
  }

  /// Writes a record. MUST follow the commit of the recorded data, and a `read`. A failure affects
  /// nothing else.
  mutating func write(_ holdings: Frontier, of credentials: Credentials) throws(HomeError) {
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
