internal import MusterModel

/// The states of all peers, read and modified in place: a state is large, and every datagram reads
/// many of them, so copies would dominate the cost.
struct PeerTable: Sendable {
  private var places: [DeviceID: Int] = [:]
  /// The first is always nil and is returned for unknown devices.
  private var states: [PeerState?] = [nil]
  private var vacant: [Int] = []

  var count: Int { places.count }
  /// In unspecified order.
  var devices: some Collection<DeviceID> { places.keys }
  /// In unspecified order: no result may depend on it.
  var values: some Sequence<PeerState> { states.lazy.compactMap(\.self) }

  subscript(device: DeviceID) -> PeerState? {
    _read { yield states[places[device] ?? 0] }
    _modify {
      if let place = places[device] {
        yield &states[place]
        if states[place] == nil {
          places[device] = nil
          vacant.append(place)
        }
      } else {
        var state: PeerState?
        yield &state
        if let state { insert(state, of: device) }
      }
    }
  }

  private mutating func insert(_ state: PeerState, of device: DeviceID) {
    let place = vacant.popLast() ?? states.count
    if place == states.count { states.append(state) } else { states[place] = state }
    places[device] = place
  }
}
