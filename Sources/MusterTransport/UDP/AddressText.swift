internal import MusterModel

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A parsed `HOST:PORT` or `[IPV6]:PORT` from user input.
struct AddressText: Hashable {
  /// An IP address without its brackets, or a host name. At most 255 bytes, without NUL.
  let host: String
  let port: UInt16
  private let isBracketed: Bool

  init(_ text: String) throws(TransportError) {
    func bad(_ reason: String) -> TransportError { .badAddress(text, reason: reason) }
    let portText: Substring
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]"), text[end...].hasPrefix("]:") else {
        throw bad("an IPv6 address with a port is written [::1]:7474")
      }
      host = String(text[text.index(after: text.startIndex)..<end])
      portText = text[end...].dropFirst(2)
      isBracketed = true
    } else {
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count <= 2 else {
        throw bad("an IPv6 address with a port is written [::1]:7474")
      }
      guard parts.count == 2 else { throw bad("the port is missing, as in 192.0.2.1:7474") }
      host = String(parts[0])
      portText = parts[1]
      isBracketed = false
    }
    guard !host.isEmpty else { throw bad("the host is missing, as in 192.0.2.1:7474") }
    guard host.utf8.count <= 255, !host.utf8.contains(0) else { throw bad("the host is invalid") }
    guard portText.utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt16(portText) else {
      throw bad("the port is a number from 0 to 65535")
    }
    port = number
    if isBracketed, literal() == nil { throw bad("[\(host)] is not an IPv6 address") }
  }

  /// Returns the endpoint if the host is an IP address. An IPv4-mapped address becomes plain IPv4.
  func literal() -> Endpoint? {
    if !isBracketed {
      return Self.parse(host, AF_INET, length: 4).map { Endpoint(trusted: $0, port: port) }
    }
    let parts = host.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = Self.parse(String(parts[0]), AF_INET6, length: 16) else { return nil }
    var scope: UInt32 = 0
    if parts.count == 2 {
      scope = UInt32(parts[1]) ?? if_nametoindex(String(parts[1]))
      guard scope != 0 else { return nil }
    }
    return Endpoint(trusted: address, port: port, scope: scope).unmapped
  }

  private static func parse(_ text: String, _ family: Int32, length: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: length)
    return inet_pton(family, text, &bytes) == 1 ? bytes : nil
  }
}

extension Endpoint {
  /// `::ffff:192.0.2.1` (RFC 4291 §2.5.5.2) becomes 192.0.2.1, so that one peer has one endpoint.
  var unmapped: Endpoint {
    let prefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    guard family == .ipv6, address.starts(with: prefix) else { return self }
    return Endpoint(trusted: Array(address[12...]), port: port)
  }
}
