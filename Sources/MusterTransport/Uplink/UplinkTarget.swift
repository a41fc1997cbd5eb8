internal import MusterModel

/// A command post to connect to, as the user configured it.
public struct UplinkTarget: Hashable, Sendable, CustomStringConvertible {
  /// The default port of command posts.
  public static let defaultPort: UInt16 = 7443

  /// `https://HOST:PORT`.
  public let description: String
  let host: String
  let port: UInt16

  /// Parses `https://HOST:PORT`, `https://HOST` and `https://[IPV6]:PORT`.
  public init(_ text: String) throws(TransportError) {
    func bad(_ reason: String) -> TransportError { .badAddress(text, reason: reason) }
    guard text.lowercased().hasPrefix("https://") else {
      throw bad("an uplink begins with https://, as in https://192.0.2.1:7443")
    }
    var authority = text.dropFirst("https://".count)
    if authority.hasSuffix("/") { authority.removeLast() }
    guard !authority.contains(where: { "/?#@".contains($0) }) else {
      throw bad("an uplink is https://HOST:PORT and nothing else")
    }
    let isNamed = authority.hasSuffix("]") || !authority.dropFirst().contains(":")
    let address = try AddressText(isNamed ? "\(authority):\(Self.defaultPort)" : String(authority))
    guard address.port != 0 else { throw bad("port 0 cannot be sent to") }
    guard address.host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") })
    else { throw bad("the host is invalid") }
    host = address.host
    port = address.port
    description =
      "https://\(Endpoint.authority(host, port))"
  }
}
