internal import MusterModel
internal import NIOCore

/// One address of one network interface of this machine.
struct LocalInterface {
  let device: NIONetworkDevice
  /// Port 0; a link-local IPv6 address carries its interface.
  let address: Endpoint

  var index: Int { device.interfaceIndex }

  /// Loopback refuses multicast, so it never carries announces.
  var carriesMulticast: Bool { device.multicastSupported && !address.isLoopback }

  /// What the machine has at this moment, in the system's order.
  static func enumerate() throws -> [LocalInterface] {
    try System.enumerateDevices().compactMap { device in
      guard let address = device.address.flatMap({ Endpoint($0) }) else { return nil }
      return LocalInterface(device: device, address: address)
    }
  }
}

extension [LocalInterface] {
  /// Those that a socket on `listen` can send announces by, one per interface: all of its family
  /// for a wildcard, else the one that has the address.
  func carryingMulticast(for listen: Endpoint) -> [LocalInterface] {
    var seen: Set<Int> = []
    return filter { interface in
      interface.carriesMulticast && interface.address.family == listen.family
        && (listen.isWildcard || listen.address == interface.address.address)
        && seen.insert(interface.index).inserted
    }
  }

  /// One per interface and family, for joining the groups. Nothing when `listen` is loopback:
  /// whoever announces there cannot be answered.
  func joinable(_ family: AddressFamily, listen: Endpoint) -> [LocalInterface] {
    guard !listen.isLoopback else { return [] }
    let reachable =
      listen.isWildcard
      ? nil : Set(filter { $0.address.address == listen.address }.map(\.index))
    var seen: Set<Int> = []
    return filter { interface in
      interface.carriesMulticast && interface.address.family == family
        && reachable?.contains(interface.index) ?? true
        && seen.insert(interface.index).inserted
    }
  }
}
