internal import Foundation

/// Where events are posted to: `http://…` or `https://…`.
public struct WebhookAddress: Hashable, Sendable, CustomStringConvertible {
  /// Why a text is none, in one line for the person who gave it.
  public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    /// Without the word "error".
    public let description: String
  }

  /// As it was given.
  public let description: String
  /// Without what stands behind a `?`, which may be a secret.
  public let shown: String
  /// The name or the address of the machine.
  public let host: String

  private static let mostBytes = 2048

  /// Refuses what is no URL of HTTP, and names and passwords in it.
  public init(parsing text: String) throws(Fault) {
    guard text.utf8.count <= Self.mostBytes else {
      throw Fault(description: "a URL has at most \(Self.mostBytes) bytes")
    }
    guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }), let parts = URLComponents(string: text),
      ["http", "https"].contains(parts.scheme?.lowercased()), let host = parts.host, !host.isEmpty
    else { throw Fault(description: "write the URL as https://host/path") }
    guard parts.user == nil, parts.password == nil, parts.fragment == nil else {
      throw Fault(description: "a URL with a name, a password or a fragment is not taken")
    }
    if let port = parts.port, !(1...65_535).contains(port) {
      throw Fault(description: "a port is from 1 to 65535")
    }
    description = text
    shown = String(text.prefix { $0 != "?" })
    self.host = host
  }
}
