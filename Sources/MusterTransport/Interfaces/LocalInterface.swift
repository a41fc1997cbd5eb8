internal import MusterModel
internal import NIOCore

/// One address of one network interface of this machine.
struct LocalInterface {
  let device: NIONetworkDevice
  /// The address with port 0. A link-local IPv6 address includes its interface.
  let address: Endpoint

  var index: Int { device.interfaceIndex }

  /// Whether announces can be sent on it. Loopback does not support multicast.
  var carriesMulticast: Bool { device.multicastSupported && !address.isLoopback }

  /// Returns the current interfaces of this machine, in the system's order.
  static func enumerate() throws -> [LocalInterface] {
    try System.enumerateDevices().compactMap { device in
      guard let address = device.address.flatMap({ Endpoint($0) }) else { return nil }
      return LocalInterface(device: device, address: address)
    }
  }
}

extension [LocalInterface] {
  /// Returns the interfaces on which a transport that listens on `listen` can send announces, one
  /// address for each: for a wildcard one of its family, or of the other where there is none, so
  /// that nothing is sent twice; otherwise the one with that address.
  func carryingMulticast(for listen: Endpoint) -> [LocalInterface] {
    var seen: Set<Int> = []
    let ranked =
      filter { $0.address.family == listen.family }
      + filter { $0.address.family != listen.family }
    return ranked.filter { interface in
      interface.carriesMulticast
        && (listen.isWildcard || listen.address == interface.address.address)
        && seen.insert(interface.index).inserted
    }
  }

  /// Returns one address per interface and family, for joining the groups. None if `listen` is
  /// loopback: an announcer there could not be answered.
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
