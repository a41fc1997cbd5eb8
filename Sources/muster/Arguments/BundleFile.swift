internal import Foundation

/// A bundle that is being written: under a temporary name in the same folder until it is complete
/// and on the disk.
final class BundleFileWriter {
  private let path: String
  private let temporaryPath: String
  private let replaces: Bool
  private let file: FileHandle
  private var isFinished = false
  /// Bytes so far.
  private(set) var count = 0

  init(_ path: String, replaces: Bool) throws(Refusal) {
    self.path = path
    self.replaces = replaces
    try Self.requireRoom(at: path, replaces: replaces)
    var template = Array((path + ".part-XXXXXX").utf8CString)
    // Made with mode 0600.
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw InputFile.refusal("write", path, errno) }
    temporaryPath = String(
      decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  deinit { if !isFinished { unlink(temporaryPath) } }

  private static func requireRoom(at path: String, replaces: Bool) throws(Refusal) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw Refusal("\(path) is not a plain file: give one that `muster bundle create` wrote")
    }
    guard replaces else {
      throw Refusal("\(path) exists: give another name, or --force to replace it")
    }
  }

  func append(_ bytes: [UInt8]) throws(Refusal) {
    do {
      try file.write(contentsOf: bytes)
    } catch {
      throw InputFile.refusal("write", path, error)
    }
    count += bytes.count
  }

  /// Renames the file. After it returns, the file survives a loss of power.
  func finish() throws(Refusal) {
    do {
      try file.synchronize()
    } catch {
      throw InputFile.refusal("write", path, error)
    }
    try Self.requireRoom(at: path, replaces: replaces)
    guard rename(temporaryPath, path) == 0 else {
      throw InputFile.refusal("write", path, errno)
    }
    isFinished = true
    try syncFolder()
  }

  private func syncFolder() throws(Refusal) {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw InputFile.refusal("write", path, errno) }
    defer { close(descriptor) }
    // Some file systems of memory sticks do not support it for folders.
    guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else {
      throw InputFile.refusal("write", path, errno)
    }
  }
}

/// A bundle that is being read in parts, so that its size does not matter.
final class BundleFileReader {
  private let path: String
  private let file: FileHandle
  /// Read, and not consumed yet.
  private var rest: [UInt8] = []
  private var hasEnded = false
  /// The size of a part: far more than the largest piece, less than the limit of a command.
  private static let windowBytes = 512 * 1024

  init(_ path: String) throws(Refusal) {
    self.path = path
    do {
      file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    } catch {
      throw InputFile.refusal("read", path, error)
    }
  }

  /// Returns the bytes after those that were consumed, and whether the file ends with them.
  func read() throws(Refusal) -> (bytes: [UInt8], isLast: Bool) {
    do {
      while !hasEnded, rest.count < Self.windowBytes {
        let more = try file.read(upToCount: Self.windowBytes - rest.count) ?? Data()
        hasEnded = more.isEmpty
        rest += more
      }
    } catch {
      throw InputFile.refusal("read", path, error)
    }
    return (rest, hasEnded)
  }

  func pass(_ count: Int) throws(Refusal) {
    guard count >= 0, count <= rest.count else { throw .unexpectedReply }
    rest.removeFirst(count)
  }

  /// Whether no bytes are left.
  var isAtEnd: Bool {
    get throws(Refusal) { rest.isEmpty ? try read().bytes.isEmpty : false }
  }
}
