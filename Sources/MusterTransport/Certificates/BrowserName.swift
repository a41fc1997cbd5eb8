internal import MusterModel

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A name or an address under which browsers reach this machine.
public enum BrowserName: Hashable, Sendable {
  /// A DNS name in lowercase.
  case dns(String)
  /// An IPv4 or IPv6 address without a zone.
  case address(String, isIPv6: Bool)

  /// An address that NetworkManager gives a laptop that shares its Wi-Fi, so that a hotspot that
  /// starts later is covered.
  private static let hotspot = BrowserName.address("10.42.0.1", isIPv6: false)
  /// The most names of a certificate.
  private static let most = 32

  /// Returns the names under which a listener is reached: its own address or name, or for a
  /// wildcard those of the interfaces; then the host name, alone and by multicast DNS.
  ///
  /// Each further address needs a new authority, which phones must trust again. A wildcard's names
  /// therefore have no addresses that change by themselves: temporary ones (RFC 8981), and those of
  /// containers, virtual machines and VPNs.
  ///
  /// - Parameter host: the address of the listener.
  public static func all(of host: String) -> [BrowserName] {
    all(
      of: host, interfaces: InterfaceState.current(), temporary: InterfaceState.temporary(),
      hostName: hostName())
  }

  /// - Parameter temporary: temporary IPv6 addresses.
  static func all(
    of host: String, interfaces: Set<InterfaceState>, temporary: Set<[UInt8]>, hostName: String?
  ) -> [BrowserName] {
    let listed = BrowserName(host)
    var others = listed == nil ? [hotspot] : []
    if let label = hostName.flatMap({ BrowserName($0) }), case .dns(let name) = label {
      let short = name.prefix { $0 != "." }
      others += [BrowserName("\(short).local"), label].compactMap { $0 }
    }
    let lasting = interfaces.filter { !$0.isVirtual && !temporary.contains($0.address.address) }
    let first = listed.map { [$0] } ?? addresses(of: lasting)
    var seen: Set<BrowserName> = []
    return (first.prefix(most - others.count) + others).filter { seen.insert($0).inserted }
  }

  /// IPv4 first: people type it.
  private static func addresses(of interfaces: Set<InterfaceState>) -> [BrowserName] {
    interfaces.filter { $0.isRunning && !$0.address.isLoopback }
      .map(\.address).filter { $0.scope == 0 && !$0.isLinkLocal }
      .sorted { ($0.address.count, $0) < ($1.address.count, $1) }
      .compactMap { endpoint in
        let text = endpoint.description.split(separator: ":").dropLast().joined(separator: ":")
        return endpoint.family == .ipv4 ? .address(text, isIPv6: false) : BrowserName(endpoint)
      }
  }

  private init?(_ endpoint: Endpoint) {
    guard let end = endpoint.description.lastIndex(of: "]") else { return nil }
    self = .address(String(endpoint.description[..<end].dropFirst()), isIPv6: true)
  }

  private static func hostName() -> String? {
    var bytes = [CChar](repeating: 0, count: 256)
    guard gethostname(&bytes, bytes.count - 1) == 0 else { return nil }
    return bytes.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
  }

  /// Parses an IP address or a DNS name; nil for a wildcard address, and for text that a
  /// certificate cannot contain.
  public init?(_ text: String) {
    let isIPv6 = text.contains(":")
    if let endpoint = Self.literal(isIPv6 ? "[\(text)]:0" : "\(text):0") {
      guard !endpoint.isWildcard, endpoint.scope == 0 else { return nil }
      self = .address(text.lowercased(), isIPv6: isIPv6)
      return
    }
    let name = text.lowercased()
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    let isValid = labels.allSatisfy { label in
      (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
        && label.utf8.allSatisfy { byte in
          byte == UInt8(ascii: "-") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
    }
    guard isValid, name.utf8.count <= 253, labels.last?.allSatisfy(\.isNumber) == false else {
      return nil
    }
    self = .dns(name)
  }

  private static func literal(_ text: String) -> Endpoint? {
    do { return try AddressText(text).literal() } catch { return nil }
  }

  /// The text in a URL.
  public var host: String {
    switch self {
    case .dns(let name): name
    case .address(let text, let isIPv6): isIPv6 ? "[\(text)]" : text
    }
  }

  /// For the subject alternative names of a certificate.
  var alternative: String {
    switch self {
    case .dns(let name): "DNS:\(name)"
    case .address(let text, _): "IP:\(text)"
    }
  }

  /// For the name constraints of an authority: this name or address alone.
  var constraint: String {
    switch self {
    case .dns(let name): "permitted;DNS:\(name)"
    case .address(let text, false): "permitted;IP:\(text)/255.255.255.255"
    case .address(let text, true):
      "permitted;IP:\(text)/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"
    }
  }
}
