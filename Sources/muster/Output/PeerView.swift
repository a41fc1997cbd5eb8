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
        cell(peer.state), heard(peer), lacks(peer),
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
        .init(peer.callsign, .strong), .init(peer.device.short), cell(peer.state),
        .init(Words.age(peer.connectedSeconds)), heard(peer), .init("\(peer.endpoint)"),
        .init(peer.interface), .init(Words.roundTrip(peer.roundTripMicroseconds)), lacks(peer),
        .init(Words.bytes(peer.sentBytes)), .init(Words.bytes(peer.receivedBytes)),
      ])
    }
    return table
  }

  private static func cell(_ state: PeerSummary.State) -> Table.Cell {
    switch state {
    case .connected: .init("✔ connected", .good)
    case .heard: .init("✔ heard", .good)
    case .silent: .init("✖ silent", .doubtful)
    }
  }

  private static func heard(_ peer: PeerSummary) -> Table.Cell {
    .init(Words.age(peer.lastHeardSeconds) + " ago")
  }

  private static func lacks(_ peer: PeerSummary) -> Table.Cell {
    .init(
      peer.behindFrames == 0
        ? "nothing" : Words.count(Int(clamping: peer.behindFrames), "frame", "frames"))
  }
}
