internal import Foundation
public import MusterModel
internal import Synchronization

/// The file of one device's sentinel, outside the node's home.
///
///     slot 0            slot 1 (4,096 bytes on)
///     [writes 0, 2, 4…] [writes 1, 3, 5…]
///
/// Two slots are written alternately, each in its own disk block, so that a torn write damages only
/// the older one. The reader takes the newer intact slot.
///
/// A write is one system call on an open file, cheap enough for each commit. It need not reach the
/// disk at once: a power failure leaves the sentinel behind the database, which is harmless, and
/// never ahead of it, because the commit was synced before. Only changes that happen once per
/// incarnation are synced, since their loss would cost another generation.
public final class SentinelFile: Sendable {
  /// The path of the file.
  public let path: String
  private let directory: String
  private let writing = Mutex<Writing?>(nil)

  private struct Writing {
    let file: OpenFile
    var counter: UInt64?
    /// The newest sentinel, except its sequences, that survives a power failure.
    var synced: Sentinel?
  }

  static let slotStride = 4096

  /// - Parameter directory: `NodeHome.stateDirectory`; the first write creates it if necessary.
  public convenience init(directory: String, device: DeviceID) {
    self.init(directory: directory, name: "\(device).sentinel")
  }

  init(directory: String, name: String) {
    self.directory = directory
    path = "\(directory)/\(name)"
  }

  /// Reads the current contents of the file.
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

  /// Writes the state after a commit. MUST follow the commit, never precede it. A failure is logged
  /// and affects nothing else: the sentinel then stays behind the database.
  public func write(_ sentinel: Sentinel) throws(HomeError) {
    try writing.withLock { (current) throws(HomeError) in
      var writing: Writing
      if let current { writing = current } else { writing = try start() }
      let counter = writing.counter.map { $0 + 1 } ?? 0
      try writing.file.overwrite(
        with: SentinelSlot(counter: counter, sentinel: sentinel).bytes,
        at: Self.offset(of: counter))
      // Only now: after a failed write, the next one uses the same slot, and keeps the other
      // intact.
      writing.counter = counter
      current = writing

      var withoutSequences = sentinel
      withoutSequences.sequences = [:]
      guard withoutSequences != writing.synced else { return }
      try writing.file.sync()
      try Folder.sync(directory)
      writing.synced = withoutSequences
      current = writing
    }
  }

  /// Removes the file; the next write creates it again.
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
        // Torn, never written, or of another version: the other slot is used.
        continue
      }
    }
    return newest
  }

  private static func offset(of counter: UInt64) -> Int { Int(counter % 2) * slotStride }
}
