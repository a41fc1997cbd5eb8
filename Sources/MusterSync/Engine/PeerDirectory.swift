internal import MusterModel

/// The states of all peers, read and modified in place: a state is large, and every datagram reads
/// many of them, so copies would dominate the cost.
///
/// Invariants: `devices` and `connected` are in ascending order. `connected` contains exactly the
/// devices whose state has a session. `sought` contains devices that have a state only.
struct PeerDirectory: Sendable {
  private var places: [DeviceID: Int] = [:]
  /// The first is always nil and is returned for unknown devices.
  private var states: [PeerState?] = [nil]
  private var vacant: [Int] = []
  private(set) var devices: [DeviceID] = []
  private(set) var connected: [DeviceID] = []
  /// Devices with which a session is needed to fetch their photos, and until when.
  private(set) var sought: [DeviceID: Instant] = [:]
  /// The addresses from which announces of unknown devices come, and when last.
  private var strangers: [Endpoint: Instant] = [:]
  /// Changes of the state of a device that has none: a fault of this program.
  private var ignoredChanges = 0

  var count: Int { devices.count }
  /// How many devices share the links, with this one, and with those that are not known yet: of
  /// many that join at once each knows a few.
  var crowd: Int { count + strangers.count + 1 }
  /// In unspecified order: no result may depend on it.
  var values: some Sequence<PeerState> { states.lazy.compactMap(\.self) }

  subscript(device: DeviceID) -> PeerState? {
    _read { yield states[places[device] ?? 0] }
    _modify {
      if let place = places[device] {
        let wasConnected = states[place]?.sessions.isEmpty == false
        defer { settle(device, at: place, wasConnected: wasConnected) }
        yield &states[place]
      } else {
        var state: PeerState?
        defer { if let state { insert(state, of: device) } }
        yield &state
      }
    }
  }

  /// Updates the lists after the state of a device was modified.
  private mutating func settle(_ device: DeviceID, at place: Int, wasConnected: Bool) {
    let isConnected = states[place]?.sessions.isEmpty == false
    if states[place] == nil {
      places[device] = nil
      sought[device] = nil
      vacant.append(place)
      devices.removeAll { $0 == device }
    }
    guard isConnected != wasConnected else { return }
    if isConnected {
      Self.insert(device, into: &connected)
    } else {
      connected.removeAll { $0 == device }
    }
  }

  private mutating func insert(_ state: PeerState, of device: DeviceID) {
    let place = vacant.popLast() ?? states.count
    if place == states.count { states.append(state) } else { states[place] = state }
    places[device] = place
    Self.insert(device, into: &devices)
    if !state.sessions.isEmpty { Self.insert(device, into: &connected) }
  }

  private static func insert(_ device: DeviceID, into sorted: inout [DeviceID]) {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < device { low = middle + 1 } else { high = middle }
    }
    sorted.insert(device, at: low)
  }

  /// The state of a device that has one, such as the device of a session.
  ///
  /// For another device, a debug build stops. A release build reads a new state, and ignores and
  /// counts a change: no datagram may end the program. The simulator checks the count.
  subscript(known device: DeviceID) -> PeerState {
    _read {
      if let place = places[device], states[place] != nil {
        yield states[place]!
      } else {
        yield stranger(device)
      }
    }
    _modify {
      if let place = places[device], states[place] != nil {
        let wasConnected = states[place]?.sessions.isEmpty == false
        defer { settle(device, at: place, wasConnected: wasConnected) }
        yield &states[place]!
      } else {
        ignoredChanges += 1
        var ignored = stranger(device)
        yield &ignored
      }
    }
  }

  private func stranger(_ device: DeviceID) -> PeerState {
    assertionFailure("no state of \(device)")
    return PeerState(
      device: device, certificate: .root, endpoint: .unspecified, now: Instant(microseconds: 0))
  }

  /// Creates the state of a device at first contact. Returns false if there is no room.
  mutating func meet(
    _ device: DeviceID, certificate: CertificateHash, at endpoint: Endpoint, now: Instant
  ) -> Bool {
    guard self[device] == nil else {
      self[known: device].topology.otherRules = nil
      return true
    }
    makeRoom()
    guard count < Limits.peers else { return false }
    self[device] = PeerState(
      device: device, certificate: certificate, endpoint: endpoint, now: now)
    return true
  }

  /// Records an announce of a device whose certificate has not arrived.
  mutating func noteStranger(at endpoint: Endpoint, now: Instant) {
    forgetStrangers(at: now)
    guard strangers[endpoint] != nil || strangers.count < Limits.strangers else { return }
    strangers[endpoint] = now
  }

  /// Records an announce of a device that is known.
  mutating func noteKnown(at endpoint: Endpoint, now: Instant) {
    strangers[endpoint] = nil
    forgetStrangers(at: now)
  }

  private mutating func forgetStrangers(at now: Instant) {
    guard !strangers.isEmpty else { return }
    strangers = strangers.filter { now.milliseconds(since: $0.value) < Timing.strangerMilliseconds }
  }

  /// Requires a session with a device until a time, to fetch its photos.
  mutating func seek(_ device: DeviceID, until: Instant) {
    if places[device] != nil { sought[device] = until }
  }

  /// Forgets the devices that are not sought any more.
  mutating func endSearches(at now: Instant) { sought = sought.filter { now < $0.value } }

  private mutating func makeRoom() {
    guard count >= Limits.peers else { return }
    let oldest = values.filter { $0.sessions.isEmpty }.min {
      ($0.presence.lastReceived, $0.device) < ($1.presence.lastReceived, $1.device)
    }
    if let oldest { self[oldest.device] = nil }
  }

  func checkInvariants(sessions all: [UInt32: Session]) {
    precondition(count <= Limits.peers, "\(count) peers")
    precondition(strangers.count <= Limits.strangers, "\(strangers.count) strangers")
    precondition(ignoredChanges == 0, "\(ignoredChanges) changes of unknown peers")
    precondition(sought.keys.allSatisfy { places[$0] != nil }, "seeks a device without state")
    precondition(devices == places.keys.sorted(), "\(count) listed, \(places.count) peers")
    precondition(
      connected == devices.filter { self[$0]?.sessions.isEmpty == false }, "connected differ")
    for device in devices {
      guard let peer = self[device], peer.device == device else {
        preconditionFailure("another device's state at \(device)")
      }
      let distinct = Set(peer.sessions).count
      precondition(
        peer.topology.otherRules == nil || peer.sessions.isEmpty,
        "a session with a device of other rules")
      precondition(
        peer.sessions.count <= Limits.sessionsPerPeer && distinct == peer.sessions.count,
        "sessions \(peer.sessions)")
      for index in peer.sessions {
        precondition(all[index]?.peer == .device(device), "session \(index) is gone")
      }
    }
    for (index, session) in all {
      precondition(session.localIndex == index, "session \(session.localIndex) at \(index)")
      guard case .device(let device) = session.peer else { continue }
      precondition(self[device]?.sessions.contains(index) == true, "session of no peer")
    }
  }
}
