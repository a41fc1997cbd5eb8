internal import MusterModel

/// Exchange of peer addresses. Like the source of an announce, an address is a hint: it is tried a
/// few times, and dropped if no device authenticates from it.
extension Connector {
  /// Peers that are examined for one introduction: of thousands on uplinks, none has an address.
  private static let mostExamined = 256

  /// Sends addresses with a heartbeat when a session is new or others were added.
  func introduce(to device: DeviceID, context: inout Context) {
    guard let peer = context.peers[device], peer.topology.hasNewNeighbours, peer.isReachable else {
      return
    }
    if let last = peer.topology.lastIntroduction,
      context.now.milliseconds(since: last) < Timing.introductionMilliseconds
    {
      return
    }
    context.peers[known: device].topology.lastIntroduction = context.clock.now
    context.peers[known: device].topology.hasNewNeighbours = false
    var packet = Packet()
    // Starting at random, so that among many every peer is named in time.
    let connected = context.peers.connected
    let first = connected.isEmpty ? 0 : Int(context.random.uniform(below: UInt64(connected.count)))
    let some = (connected[first...] + connected[..<first]).prefix(Self.mostExamined)
    for other in some where other != device {
      guard let known = context.peers[other], known.isReachable,
        known.presence.endpoint.isWorthSending,
        !receivesItself(device, other, context: context)
      else { continue }
      packet.peers.append(PeerAddress(device: other, endpoint: known.presence.endpoint))
      if packet.peers.count == Limits.introductions { break }
    }
    guard !packet.peers.isEmpty else { return }
    context.outbox.add(packet, importance: .state, to: device)
  }

  /// Whether a peer is likely to receive announces of another, since both are received on one link,
  /// and that link is too narrow for a session of theirs that they do not need.
  private func receivesItself(_ device: DeviceID, _ other: DeviceID, context: Context) -> Bool {
    guard let link = context.reception(of: device)?.link else { return false }
    return context.reception(of: other)?.link == link && !hasRoom(for: other, context: context)
  }

  mutating func receive(
    _ introductions: [PeerAddress], from device: DeviceID, context: inout Context
  ) {
    for introduction in introductions.prefix(Limits.introductions) {
      guard introduction.device != context.local.device,
        context.peers[introduction.device]?.isReachable != true,
        introduction.endpoint.isWorthSending, context.roster.devices.contains(introduction.device),
        book[introduction.endpoint] == nil,
        context.peers.connected.count < Limits.smallMesh
      else { continue }
      let wait = Int64(context.random.uniform(below: UInt64(Timing.contactHintMilliseconds)))
      addHint(
        introduction.endpoint, device: introduction.device,
        at: context.now.advanced(byMilliseconds: wait), context: &context)
    }
  }
}

extension Endpoint {
  /// Whether other devices could reach this address: not loopback, multicast or link-local.
  var isWorthSending: Bool {
    guard port != 0, scope == 0 else { return false }
    if address.count == 4 {
      let isLinkLocal = address[0] == 169 && address[1] == 254
      return address[0] != 0 && address[0] != 127 && address[0] < 224 && !isLinkLocal
    }
    let isMapped = address.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255]
    let isLoopback = address.dropLast().allSatisfy { $0 == 0 }
    let isLinkLocal = address[0] == 0xfe && address[1] & 0xc0 == 0x80
    return address[0] != 0xff && !isLinkLocal && !isLoopback && !isMapped
  }
}
