internal import MusterModel

/// Other devices as people read of them.
enum PeerView {
  /// `5, of them 3 connected`.
  static func count(of peers: [PeerSummary]) -> String {
    guard !peers.isEmpty else { return "none yet" }
    return "\(peers.count), of them \(peers.count { $0.state != .silent }) within reach"
  }

  /// Whom this laptop hears, and how far each is behind.
  static func summary(of peers: [PeerSummary]) -> Table {
    var table = Table(["CALLSIGN", "DEVICE", "ADDRESS", "LINK", "HEARD", "LACKS"])
    for peer in peers {
      table.add([
        .init(peer.callsign, .strong), .init(peer.device.short), .init("\(peer.endpoint)"),
        link(peer), heard(peer), lacks(peer),
      ])
    }
    return table
  }

  /// The same with by which path, since when, how quickly and how much.
  static func details(of peers: [PeerSummary]) -> Table {
    var table = Table([
      "CALLSIGN", "DEVICE", "LINK", "SINCE", "HEARD", "ADDRESS", "BY", "ROUND TRIP", "LACKS",
      "SENT", "RECEIVED",
    ])
    for peer in peers {
      table.add([
        .init(peer.callsign, .strong), .init(peer.device.short), link(peer),
        .init(Words.age(peer.connectedSeconds)), heard(peer), .init("\(peer.endpoint)"),
        .init(peer.interface), .init(Words.roundTrip(peer.roundTripMicroseconds)), lacks(peer),
        .init(Words.bytes(peer.sentBytes)), .init(Words.bytes(peer.receivedBytes)),
      ])
    }
    return table
  }

  /// What people are told of a device that follows other rules; nil of any other.
  static func update(_ peer: PeerSummary) -> String? {
    switch peer.needsUpdate {
    case nil: nil
    case .peer: "needs an update"
    case .thisLaptop: "this laptop needs an update"
    }
  }

  /// Which laptops are to be updated; nil where all follow the same rules.
  static func update(_ peers: [PeerSummary]) -> String? {
    if peers.contains(where: { $0.needsUpdate == .thisLaptop }) {
      return "this laptop needs an update: others have a newer muster, and nothing is synchronized "
        + "with them"
    }
    let older = peers.filter { $0.needsUpdate == .peer }
    guard !older.isEmpty else { return nil }
    return Words.count(older.count, "laptop needs an update", "laptops need an update")
      + ": nothing is synchronized with " + older.map(\.callsign).joined(separator: ", ")
  }

  private static func link(_ peer: PeerSummary) -> Table.Cell {
    if let update = update(peer) { return .init("✖ " + update, .doubtful) }
    return switch peer.state {
    case .connected: .init("✔ connected", .good)
    case .heard: .init("✔ heard", .good)
    case .silent: .init("✖ silent", .doubtful)
    }
  }

  private static func heard(_ peer: PeerSummary) -> Table.Cell {
    .init(Words.age(peer.lastHeardSeconds) + " ago")
  }

  private static func lacks(_ peer: PeerSummary) -> Table.Cell {
    if peer.needsUpdate != nil { return .init("not synchronized", .doubtful) }
    return .init(
      peer.behindFrames == 0
        ? "nothing" : Words.count(Int(clamping: peer.behindFrames), "frame", "frames"))
  }
}
