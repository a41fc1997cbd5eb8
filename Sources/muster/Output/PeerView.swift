internal import MusterModel

/// Text output about peers.
enum PeerView {
  /// `5, of which 3 are in reach`.
  static func count(of peers: [PeerSummary]) -> String {
    guard !peers.isEmpty else { return "none yet" }
    return "\(peers.count), of which \(peers.count { $0.state != .silent }) in reach"
  }

  /// The link to each peer, and what the peer is missing.
  static func summary(of peers: [PeerSummary]) -> Table {
    var table = Table(
      ["CALLSIGN", "LINK", "LAST SEEN", "MISSING", "ADDRESS", "DEVICE"],
      optional: ["ADDRESS", "DEVICE"])
    for peer in peers {
      table.add([
        .init(peer.callsign, .strong), link(peer), seen(peer), missing(peer),
        .init("\(peer.endpoint)"), .init(peer.device.short),
      ])
    }
    return table
  }

  /// The same with path, age, round trip and traffic.
  static func details(of peers: [PeerSummary]) -> Table {
    var table = Table(
      [
        "CALLSIGN", "LINK", "LAST SEEN", "MISSING", "ADDRESS", "DEVICE", "SINCE", "ROUND TRIP",
        "SENT", "RECEIVED", "INTERFACE",
      ], optional: ["DEVICE", "SINCE", "ROUND TRIP", "SENT", "RECEIVED", "INTERFACE"])
    for peer in peers {
      table.add([
        .init(peer.callsign, .strong), link(peer), seen(peer), missing(peer),
        .init("\(peer.endpoint)"), .init(peer.device.short),
        .init(ValueText.age(peer.connectedSeconds)),
        .init(ValueText.roundTrip(peer.roundTripMicroseconds)),
        .init(ValueText.bytes(peer.sentBytes)),
        .init(ValueText.bytes(peer.receivedBytes)), .init(peer.interface),
      ])
    }
    return table
  }

  /// What to show for a device with another rules version; nil for any other.
  static func update(_ peer: PeerSummary) -> String? {
    switch peer.needsUpdate {
    case nil: nil
    case .peer: "needs an update"
    case .thisLaptop: "this laptop needs an update"
    }
  }

  /// Which laptops need an update; nil if all have the same rules version.
  static func update(_ peers: [PeerSummary]) -> String? {
    if peers.contains(where: { $0.needsUpdate == .thisLaptop }) {
      return "this laptop needs an update: others have a newer muster, and nothing is synchronized "
        + "with them"
    }
    let older = peers.filter { $0.needsUpdate == .peer }
    guard !older.isEmpty else { return nil }
    return ValueText.count(older.count, "laptop needs an update", "laptops need an update")
      + ": nothing is synchronized with " + older.map(\.callsign).joined(separator: ", ")
  }

  private static func link(_ peer: PeerSummary) -> Table.Cell {
    if peer.isRevoked { return .init("✖ revoked, \(words(peer.state))", .bad) }
    if let update = update(peer) { return .init("✖ " + update, .doubtful) }
    let text = words(peer.state)
    return peer.state == .silent ? .init("✖ " + text, .doubtful) : .init("✔ " + text, .good)
  }

  private static func words(_ state: PeerSummary.State) -> String {
    switch state {
    case .connected: "connected"
    case .discovered: "seen"
    case .silent: "silent"
    }
  }

  private static func seen(_ peer: PeerSummary) -> Table.Cell {
    .init(ValueText.age(peer.lastHeardSeconds) + " ago")
  }

  private static func missing(_ peer: PeerSummary) -> Table.Cell {
    if peer.needsUpdate != nil { return .init("not synchronized", .doubtful) }
    return .init(
      peer.behindFrames == 0
        ? "nothing" : ValueText.count(Int(clamping: peer.behindFrames), "frame", "frames"))
  }
}
