internal import MusterModel

/// How a datagram arrived, and who is known to have its data already.
struct Arrival: Sendable {
  let endpoint: Endpoint
  let link: LinkID
  /// The session that authenticated it; nil for announces and handshakes.
  var session: UInt32?
  /// Whether it was received by multicast.
  var isMulticast = false
  /// Whether it was asked for, so that it is not relayed.
  var isAnswer = false
  /// Whether it carried a valid cookie.
  var hasCookie = false
  /// The devices that already have the data that is processed now.
  var covered: Set<DeviceTag> = []

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
    arrival.isMulticast = true
    return arrival
  }
}
