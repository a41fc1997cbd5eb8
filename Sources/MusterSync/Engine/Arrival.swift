internal import MusterModel

/// How a datagram arrived, and who is known to have its data already.
struct Arrival: Sendable {
  let endpoint: Endpoint
  let link: LinkID
  /// The session that authenticated it; nil for announces and handshakes.
  var session: UInt32?
  /// How it was received by multicast; nil if on a session.
  var multicast: Multicast?
  /// Whether it carried a valid cookie.
  var hasCookie = false
  /// The devices that already have the data that is processed now.
  var covered: Set<DeviceTag> = []

  enum Multicast: Sendable {
    case push
    /// It was asked for, so that it is not relayed.
    case answer
  }

  var isMulticast: Bool { multicast != nil }

  /// The link on which all others received the data too; nil if only this device received it.
  var sharedLink: LinkID? { isMulticast ? link : nil }

  /// The same arrival, for data that more devices have.
  func covering(_ devices: Set<DeviceTag>) -> Arrival {
    var arrival = self
    arrival.covered.formUnion(devices)
    return arrival
  }

  /// The same arrival, for the record of an announce that lists the devices that receive it too.
  func covering(recordOf announce: Announce) -> Arrival {
    guard announce.records.isEmpty, !announce.covered.isEmpty else { return self }
    var arrival = covering(announce.covered)
    arrival.multicast = .push
    return arrival
  }
}
