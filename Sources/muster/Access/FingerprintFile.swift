internal import Foundation
internal import MusterNode

/// The fingerprint of the command post's certificate, in a file of the home. A running post writes
/// it, and `muster login list` prints it: browsers warn of a self-signed certificate.
struct FingerprintFile {
  private static let mostBytes = 1024
  private let path: String

  init(in home: NodeHome) { path = home.path + "/certificate.sha256" }

  /// Returns the fingerprint; nil if the node was never a command post.
  func read() throws(Refusal) -> String? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let bytes = try InputFile.bytes(of: path, limit: Self.mostBytes)
    return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Replaces the fingerprint.
  func write(_ fingerprint: String) throws(Refusal) {
    try OutputFile.write(Array((fingerprint + "\n").utf8), to: path)
  }
}
