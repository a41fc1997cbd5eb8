internal import AsyncHTTPClient
public import MusterModel

/// The HTTP proxy for uplinks, used by `CONNECT`. It sees the destination and only encrypted data.
public struct UplinkProxy: Hashable, Sendable, Redacted {
  let host: String
  let port: UInt16
  private let user: String
  private let password: String
  /// Hosts that are reached directly, from `NO_PROXY`.
  private let exceptions: [String]

  /// Parses a proxy address.
  ///
  /// - Parameters:
  ///   - text: `http://HOST:PORT`, optionally with `USER:PASSWORD@` before the host; `http://` may
  ///     be omitted.
  ///   - exceptions: `NO_PROXY`: names, name suffixes, addresses, or `*`, separated by commas.
  public init(_ text: String, except exceptions: String) throws(TransportError) {
    // Neither a name nor a password is printed.
    let shown = text.lastIndex(of: "@").map { "…" + text[$0...] } ?? text
    func bad(_ reason: String) -> TransportError { .badAddress(shown, reason: reason) }
    var rest = text[...]
    if let scheme = text.range(of: "://") {
      guard text[..<scheme.lowerBound].lowercased() == "http" else {
        throw bad("a proxy is http://HOST:PORT")
      }
      rest = text[scheme.upperBound...]
    }
    if rest.hasSuffix("/") { rest.removeLast() }
    var (user, password) = ("", "")
    if let at = rest.lastIndex(of: "@") {
      let words = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      user = String(words[0])
      password = words.count > 1 ? String(words[1]) : ""
      rest = rest[rest.index(after: at)...]
    }
    let address = try AddressText(String(rest))
    guard address.port != 0 else { throw bad("port 0 cannot be sent to") }
    (host, port) = (address.host, address.port)
    (self.user, self.password) = (user, password)
    self.exceptions = exceptions.split(separator: ",").map { name in
      let name = name.filter { !$0.isWhitespace }.lowercased()
      return name.hasPrefix(".") ? String(name.dropFirst()) : name
    }
  }

  /// Returns whether a host is reached through the proxy.
  func isFor(_ host: String) -> Bool {
    let host = host.lowercased()
    return !exceptions.contains { $0 == "*" || $0 == host || host.hasSuffix("." + $0) }
  }

  var configuration: HTTPClient.Configuration.Proxy {
    user.isEmpty
      ? .server(host: host, port: Int(port))
      : .server(
        host: host, port: Int(port),
        authorization: .basic(username: user, password: password))
  }
}
