public import MusterModel

/// The two kinds of IP address. A transport's socket speaks exactly one of them.
public enum AddressFamily: Sendable, Hashable, CaseIterable {
  case ipv4
  case ipv6
}

extension Endpoint {
  /// Which kind of address this is.
  public var family: AddressFamily { address.count == 4 ? .ipv4 : .ipv6 }

  /// 127.0.0.0/8 or ::1, which no other machine can reach.
  public var isLoopback: Bool {
    family == .ipv4
      ? address[0] == 127 : address.dropLast().allSatisfy { $0 == 0 } && address[15] == 1
  }

  /// 0.0.0.0 or ::, which stands for every address of the machine.
  var isWildcard: Bool { address.allSatisfy { $0 == 0 } }

  /// 169.254.0.0/16 or fe80::/10, which hold on one link only.
  var isLinkLocal: Bool {
    switch family {
    case .ipv4: address[0] == 169 && address[1] == 254
    case .ipv6: address[0] == 0xFE && address[1] & 0xC0 == 0x80
    }
  }

  /// For addresses whose length is known from their source.
  init(trusted address: [UInt8], port: UInt16, scope: UInt32 = 0) {
    guard let endpoint = Endpoint(address: address, port: port, scope: scope) else {
      preconditionFailure("an address has 4 or 16 bytes, not \(address.count)")
    }
    self = endpoint
  }

  func with(port: UInt16) -> Endpoint { Endpoint(trusted: address, port: port, scope: scope) }
}
