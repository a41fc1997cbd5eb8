import MusterModel
import MusterReplica

/// Transmission of a replica's outgoing datagrams to the inboxes of others.
extension World {
  func send(_ outgoing: Replica.Outgoing, from node: SimulatedNode) {
    switch outgoing {
    case .to(let endpoint, _, let bytes):
      guard let sentAt = transmit(bytes, from: node),
        let index = indexByEndpoint[endpoint], index != node.index
      else { return }
      deliver(bytes, from: node, to: index, sentAt: sentAt)
    case .multicast(_, let bytes):
      guard let sentAt = transmit(bytes, from: node), network.hasMulticast else { return }
      for index in nodes.indices where index != node.index {
        deliver(bytes, from: node, to: index, sentAt: sentAt)
      }
    }
  }

  private func transmit(_ bytes: [UInt8], from node: SimulatedNode) -> Instant? {
    guard !isWithheld(bytes, by: node) else { return nil }
    node.datagramsSent += 1
    if phase == .story { node.bytesSentInStory += bytes.count + Limits.headerBytes }
    if hasEavesdropper { eavesdropper.hear(bytes) }
    return network.transmit(bytes.count, from: node.index, now: now)
  }

  private func deliver(_ bytes: [UInt8], from node: SimulatedNode, to: Int, sentAt: Instant) {
    let receiver = nodes[to]
    guard receiver.power != .absent else { return }
    let passages = network.pass(
      bytes.count, from: node.index, to: to,
      distance: node.movement.place(at: now).distance(to: receiver.movement.place(at: now)),
      sentAt: sentAt)
    for passage in passages {
      let arrived = passage.isCorrupt ? network.damaged(bytes) : bytes
      queue.push(.arrival(to: to, bytes: arrived, from: node.endpoint), at: passage.arrival)
    }
  }

  /// Sends a datagram of an outsider to a random node.
  func intrude(noise: Bool) {
    guard let bytes = noise ? eavesdropper.noise() : eavesdropper.repetition() else { return }
    tally.fire(noise ? .garbage : .replay)
    let victim = nodes[eavesdropper.victim(of: nodes.count)]
    queue.push(
      .arrival(to: victim.index, bytes: bytes, from: Self.intruder),
      at: now.advanced(byMilliseconds: 1))
  }

  private static let intruder = SimulatedNode.endpoint(index: 60_000, move: 255)
}
