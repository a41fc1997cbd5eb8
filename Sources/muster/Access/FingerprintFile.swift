internal import Foundation
internal import MusterNode

/// The fingerprints of the listener's certificates, in a file of the home. A running node writes
/// it, and `muster login list` prints it: browsers warn of a certificate that they do not trust.
struct FingerprintFile {
  private static let mostBytes = 1024
  private let path: String

  init(in home: NodeHome) { path = home.path + "/certificate.sha256" }

  /// Returns nil if the node never had the listener.
  func read() throws(Refusal) -> Contents? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let bytes = try InputFile.bytes(of: path, limit: Self.mostBytes)
    return Contents(text: String(decoding: bytes, as: UTF8.self))
  }

  /// Replaces the fingerprints.
  func write(_ contents: Contents) throws(Refusal) {
    try OutputFile.write(Array(contents.text.utf8), to: path)
  }
}

extension FingerprintFile {
  /// One line each: on a command post the fingerprint for uplinks alone, then `browsers` and the
  /// one for browsers.
  struct Contents: Equatable {
    private static let mark = "browsers "
    /// Nil on a device that is not a command post.
    var uplinks: String?
    /// Nil if browsers receive the certificate for uplinks.
    var browsers: String?

    /// Each fingerprint after the clients that it is for.
    var labelled: [(clients: String, fingerprint: String)] {
      [uplinks.map { ("uplinks", $0) }, browsers.map { ("browsers", $0) }].compactMap { $0 }
    }

    var text: String {
      [uplinks, browsers.map { Self.mark + $0 }].compactMap { $0.map { $0 + "\n" } }.joined()
    }
  }
}

extension FingerprintFile.Contents {
  /// Parses `text`.
  init(text: String) {
    for line in text.split(whereSeparator: \.isNewline) {
      if line.hasPrefix(Self.mark) {
        browsers = String(line.dropFirst(Self.mark.count))
      } else {
        uplinks = String(line)
      }
    }
  }
}
