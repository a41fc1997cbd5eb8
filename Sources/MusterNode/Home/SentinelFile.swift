internal import Foundation
public import MusterModel
internal import Synchronization

/// The file of one device's sentinel, outside the node's home.
///
///     slot 0            slot 1 (4,096 bytes on)
///     [writes 0, 2, 4…] [writes 1, 3, 5…]
///
/// Two slots are written in turn, each in a block of the disk of its own, so that a write cut short
/// spoils the older of both at most. The reader takes the newer one that is whole.
///
/// A write is one system call on a file that stays open, cheap enough to follow each commit. It
/// need not reach the disk at once: what a loss of power takes leaves the sentinel behind the
/// database, which is harmless, and never ahead of it, as the commit was synced before. Only what
/// changes once in a life of the database is synced, since its loss would cost another generation.
public final class SentinelFile: Sendable {
  /// The file.
  public let path: String
  private let directory: String
  private let writing = Mutex<Writing?>(nil)

  private struct Writing {
    let file: OpenFile
    var counter: UInt64?
    /// The newest sentinel, but for its sequences, that outlives a loss of power.
    var synced: Sentinel?
  }

  static let slotStride = 4096

  /// - Parameter directory: `NodeHome.stateDirectory`; made by the first write if need be.
  public convenience init(directory: String, device: DeviceID) {
    self.init(directory: directory, name: "\(device).sentinel")
  }

  init(directory: String, name: String) {
    self.directory = directory
    path = "\(directory)/\(name)"
  }

  /// What the file tells now.
  public func read() throws(HomeError) -> Sentinel.Reading {
    let file: OpenFile
    do {
      file = try OpenFile(path, O_RDONLY | O_NONBLOCK, for: .read)
    } catch {
      if case .system(_, _, ENOENT) = error { return .missing }
      throw error
    }
    return try Self.newest(in: file).map { .found($0.sentinel) } ?? .damaged
  }

  /// Keeps what is so after a commit. MUST follow the commit, never come before it. A failure is
  /// worth a line in the log and hinders nothing else: the sentinel then stays behind.
  public func write(_ sentinel: Sentinel) throws(HomeError) {
    try writing.withLock { (current) throws(HomeError) in
      var writing: Writing
      if let current { writing = current } else { writing = try start() }
      let counter = writing.counter.map { $0 + 1 } ?? 0
      try writing.file.overwrite(
        with: SentinelSlot(counter: counter, sentinel: sentinel).bytes,
        at: Self.offset(of: counter))
      // Not before: after a write that failed, the next goes to the same slot and spares the other.
      writing.counter = counter
      current = writing

      var life = sentinel
      life.sequences = [:]
      guard life != writing.synced else { return }
      try writing.file.sync()
      try Folder.sync(directory)
      writing.synced = life
      current = writing
    }
  }

  /// Removes the file; the next write makes it anew.
  func remove() throws(HomeError) {
    try writing.withLock { (current) throws(HomeError) in
      current = nil
      guard unlink(path) == 0 || errno == ENOENT else {
        throw .system(.write, path: path, code: errno)
      }
    }
  }

  private func start() throws(HomeError) -> Writing {
    try Folder.prepare(directory, .unwritableByOthers)
    let file = try OpenFile(path, O_RDWR | O_CREAT | O_NONBLOCK, for: .write)
    guard try file.status().st_mode & S_IFMT == S_IFREG else { throw .notAFile(path) }
    return Writing(file: file, counter: try Self.newest(in: file)?.counter)
  }

  private static func newest(in file: OpenFile) throws(HomeError) -> SentinelSlot? {
    var newest: SentinelSlot?
    for counter in UInt64(0)...1 {
      let bytes = try file.bytes(at: offset(of: counter), upTo: SentinelSlot.byteCount)
      do {
        let slot = try SentinelSlot(bytes: bytes)
        if slot.counter >= newest?.counter ?? 0 { newest = slot }
      } catch {
        // Torn, never written, or of another version: the other slot decides.
        continue
      }
    }
    return newest
  }

  private static func offset(of counter: UInt64) -> Int { Int(counter % 2) * slotStride }
}
