public import MusterModel

/// The IP address family. Each socket uses exactly one.
public enum AddressFamily: Sendable, Hashable, CaseIterable {
  case ipv4
  case ipv6
}

extension Endpoint {
  /// The family of this address.
  public var family: AddressFamily { address.count == 4 ? .ipv4 : .ipv6 }

  /// 127.0.0.0/8 or ::1, unreachable from other machines.
  public var isLoopback: Bool {
    family == .ipv4
      ? address[0] == 127 : address.dropLast().allSatisfy { $0 == 0 } && address[15] == 1
  }

  /// 0.0.0.0 or ::, any address of the machine.
  var isWildcard: Bool { address.allSatisfy { $0 == 0 } }

  /// 169.254.0.0/16 or fe80::/10, valid on one link only.
  var isLinkLocal: Bool {
    switch family {
    case .ipv4: address[0] == 169 && address[1] == 254
    case .ipv6: address[0] == 0xFE && address[1] & 0xC0 == 0x80
    }
  }

  /// Creates an endpoint from an address whose length is known to be valid.
  init(trusted address: [UInt8], port: UInt16, scope: UInt32 = 0) {
    guard let endpoint = Endpoint(address: address, port: port, scope: scope) else {
      preconditionFailure("an address has 4 or 16 bytes, not \(address.count)")
    }
    self = endpoint
  }

  func with(port: UInt16) -> Endpoint { Endpoint(trusted: address, port: port, scope: scope) }
}
