internal import MusterModel
internal import NIOCore

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// One address of one interface, and whether it is usable. Two different readings mean that the
/// network changed.
struct InterfaceState: Hashable, Sendable {
  let name: String
  /// Interfaces without an IP address are ignored.
  let address: Endpoint
  /// Up and with a carrier: a plugged-in cable, an associated radio.
  let isRunning: Bool

  /// Returns the current interfaces of this machine; none if the system does not report them.
  static func current() -> Set<InterfaceState> {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    var states: Set<InterfaceState> = []
    var next = first
    while let entry = next?.pointee {
      next = entry.ifa_next
      guard let address = endpoint(entry.ifa_addr) else { continue }
      let running = UInt32(IFF_UP) | UInt32(IFF_RUNNING)
      states.insert(
        InterfaceState(
          name: String(cString: entry.ifa_name), address: address,
          isRunning: UInt32(entry.ifa_flags) & running == running))
    }
    return states
  }

  /// Whether it belongs to containers, virtual machines or a VPN, by its name.
  var isVirtual: Bool {
    ["docker", "br-", "veth", "virbr", "tun", "wg"].contains { name.hasPrefix($0) }
  }

  /// Returns the temporary IPv6 addresses of this machine (RFC 8981). None if the system is not
  /// Linux: these flags are in no portable interface.
  static func temporary() -> Set<[UInt8]> {
    guard let file = fopen("/proc/net/if_inet6", "r") else { return [] }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    var addresses: Set<[UInt8]> = []
    while fgets(&line, Int32(line.count), file) != nil {
      let text = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      if let address = temporary(String(decoding: text, as: UTF8.self)) {
        addresses.insert(address)
      }
    }
    return addresses
  }

  /// Returns the address of a line of `/proc/net/if_inet6`, if it is temporary. The line has the
  /// address, the interface's index, the length of the prefix, the scope and the flags in
  /// hexadecimal digits, then the interface's name.
  static func temporary(_ line: String) -> [UInt8]? {
    let ifaTemporary: UInt32 = 1
    let fields = line.split(separator: " ")
    guard fields.count == 6, let flags = UInt32(fields[4], radix: 16), flags & ifaTemporary != 0
    else { return nil }
    return Hex.decode(fields[0])
  }

  private static func endpoint(_ address: UnsafeMutablePointer<sockaddr>?) -> Endpoint? {
    guard let address else { return nil }
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        Endpoint(SocketAddress($0.pointee, host: ""))
      }
    case AF_INET6:
      return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
        Endpoint(SocketAddress($0.pointee, host: ""))
      }
    default: return nil
    }
  }
}

extension LinkID {
  /// The system's name of the interface; nil if it is unknown or has been removed.
  var interfaceName: String? {
    guard self != .unknown else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) { buffer in
      guard let start = buffer.baseAddress, if_indextoname(index, start) != nil else { return nil }
      return String(cString: start)
    }
  }
}
