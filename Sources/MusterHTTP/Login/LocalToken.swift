internal import Foundation
internal import MusterCrypto
internal import MusterModel

/// The token of a node's loopback listener, in a file that only this user can read.
///
/// It is created at the first start and kept, so that an open dashboard, a phone and a script
/// continue to work after a restart. To replace it, delete the file and restart the node.
public struct LocalToken: Sendable {
  /// The text that clients send.
  public let text: String
  /// The path of its file.
  public let path: String

  private static let randomBytes = 16

  /// Reads the token, or creates one if no trustworthy file exists: a file of another user, or one
  /// that other users can read or write, is replaced.
  ///
  /// - Parameter directory: the run directory of the home, whose lock MUST be held.
  /// - Throws: `LocalTokenFault` if the file cannot be written.
  public init(in directory: String) throws(LocalTokenFault) {
    path = directory + "/http-token"
    if let kept = Self.read(path) {
      text = kept
      return
    }
    text = Hex.encode(SystemRandom.seed().prefix(Self.randomBytes))
    try Self.write(text, to: path)
  }

  private static func read(_ path: String) -> String? {
    let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_mode & 0o077 == 0,
      facts.st_uid == geteuid()
    else { return nil }
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = Foundation.read(file, &buffer, buffer.count)
    let text = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    return text.utf8.count == randomBytes * 2 && Hex.decode(text) != nil ? text : nil
  }

  /// Written to a temporary file first, so that it is always complete.
  private static func write(_ text: String, to path: String) throws(LocalTokenFault) {
    let new = path + ".new"
    unlink(new)
    let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    let bytes = Array((text + "\n").utf8)
    guard file >= 0 else { throw LocalTokenFault(path) }
    let written = Foundation.write(file, bytes, bytes.count)
    guard close(file) == 0, written == bytes.count, rename(new, path) == 0 else {
      throw LocalTokenFault(path)
    }
  }
}

/// Why the token could not be written.
public struct LocalTokenFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// What failed and why, in one line.
  public let description: String

  init(_ path: String) {
    description = "cannot write \(path): \(String(cString: strerror(errno)))"
  }
}
