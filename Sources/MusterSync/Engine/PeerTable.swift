internal import MusterModel

/// What is known of other devices, each of which is looked at and changed in its place: a peer's
/// state is large, many are looked at for every datagram, and to copy one costs more than to look.
struct PeerTable: Sendable {
  private var places: [DeviceID: Int] = [:]
  /// The first is nobody's, and stands for whoever is not here.
  private var states: [PeerState?] = [nil]
  private var vacant: [Int] = []

  var count: Int { places.count }
  /// In no order.
  var devices: some Collection<DeviceID> { places.keys }
  /// In no order that anything may depend on.
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
