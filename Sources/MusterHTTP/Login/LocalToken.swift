internal import Foundation
internal import MusterCrypto
public import MusterModel
public import MusterNode

/// The token of a node's loopback listener, in a file that only this user can read.
///
/// It is created at the first start and kept, so that an open dashboard, a phone and a script
/// continue to work after a restart. `muster token rotate` replaces it.
public struct LocalToken: Sendable, Redacted {
  /// The text that clients send.
  public let text: String
  /// The path of its file.
  public let path: String

  private static let randomBytes = 16

  /// Reads the token, or creates one if no trustworthy file exists: a file of another user, or one
  /// that other users can read or write, is replaced.
  ///
  /// - Parameter directory: the run directory of the home, whose lock MUST be held.
  /// - Throws: `PrivateFileFault` if the file cannot be written.
  public init(in directory: String) throws(PrivateFileFault) {
    let file = PrivateFile(in: directory, name: "http-token")
    path = file.path
    if let kept = Self.read(path) {
      text = kept
      return
    }
    text = try Self.draw(to: file)
  }

  /// Replaces the token.
  ///
  /// - Parameter directory: the run directory of the home, whose lock MUST be held.
  /// - Throws: `PrivateFileFault` if the file cannot be written.
  public init(rotatedIn directory: String) throws(PrivateFileFault) {
    let file = PrivateFile(in: directory, name: "http-token")
    path = file.path
    text = try Self.draw(to: file)
  }

  private static func draw(to file: PrivateFile) throws(PrivateFileFault) -> String {
    let text = Hex.encode(SystemRandom.seed().prefix(randomBytes))
    try file.write(Data((text + "\n").utf8))
    return text
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
      .trimmingCharacters(in: .whitespacesAndNewlines.union(["\u{FEFF}"]))
    return text.utf8.count == randomBytes * 2 && Hex.decode(text) != nil ? text : nil
  }
}
