internal import Foundation

/// A webhook URL: `http://…` or `https://…`. Printed, it is without its query.
public struct WebhookAddress: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  /// The reason why a text is not a webhook URL, in one line for the user.
  public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, without the word "error".
    public let description: String
  }

  /// The URL as given.
  public let url: String
  /// The URL without its query, which may contain a secret.
  public let shown: String
  /// The host name or address.
  public let host: String
  /// The scheme, host and port in lower case, which identify the receiver (RFC 6454).
  public let origin: String

  private static let mostBytes = 2048

  /// The URL without its query.
  public var description: String { shown }
  /// Keeps the query out of what `dump` and failed tests print.
  public var customMirror: Mirror { Mirror(self, children: ["shown": shown]) }

  /// Parses a URL. Rejects other schemes, and URLs with user names or passwords.
  public init(parsing text: String) throws(Fault) {
    guard text.utf8.count <= Self.mostBytes else {
      throw Fault(description: "a URL has at most \(Self.mostBytes) bytes")
    }
    guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }), let parts = URLComponents(string: text),
      ["http", "https"].contains(parts.scheme?.lowercased()), let host = parts.host, !host.isEmpty
    else { throw Fault(description: "write the URL as https://host/path") }
    guard parts.user == nil, parts.password == nil, parts.fragment == nil else {
      throw Fault(description: "a URL with a name, a password or a fragment is not accepted")
    }
    if let port = parts.port, !(1...65_535).contains(port) {
      throw Fault(description: "a port is from 1 to 65535")
    }
    url = text
    shown = String(text.prefix { $0 != "?" })
    self.host = host
    let scheme = (parts.scheme ?? "").lowercased()
    let port = parts.port ?? (scheme == "https" ? 443 : 80)
    origin = "\(scheme)://\(host.lowercased()):\(port)"
  }
}
