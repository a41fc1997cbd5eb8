internal import MusterCrypto
internal import MusterModel

/// Reconciling membership evidence, as a set of its own and ahead of data: what it proves decides
/// what frames count for.
extension SyncEngine {
  mutating func changeEvidence(adding added: [EvidenceItem], removing removed: [EvidenceID]) {
    for id in removed {
      evidence.remove(id)
      context.logs.remove(evidence: id)
    }
    for item in added {
      evidence.add(item)
      context.logs.set(evidence: item.id)
    }
    if !added.isEmpty { announcer.quicken(context: &context) }
  }

  /// Requests an item that a peer holds, now or after those before it.
  ///
  /// - Parameter key: the first half of its name.
  mutating func wantEvidence(_ key: Bytes16, from device: DeviceID) {
    guard context.peers[device]?.sessions.isEmpty == false,
      let want = evidence.want(key, from: device, now: context.now)
    else { return }
    send(want, to: device)
  }

  private mutating func send(_ want: EvidenceWant, to device: DeviceID) {
    var packet = Packet()
    packet.evidenceWants = [want]
    context.outbox.add(packet, importance: .control, to: device)
  }

  mutating func serveEvidence(_ want: EvidenceWant, to device: DeviceID) {
    for piece in evidence.pieces(for: want) {
      var packet = Packet()
      packet.evidence = [piece]
      context.outbox.add(packet, importance: .control, to: device)
    }
  }

  mutating func receive(
    _ piece: EvidencePiece, from device: DeviceID, endpoint: Endpoint
  ) {
    switch evidence.take(piece, from: device, now: context.now) {
    case .nothing: return
    case .want(let want): send(want, to: device)
    case .whole(let kind, let key, let content):
      do throws(WireError) {
        let item = try EvidenceItem(
          kind: kind, content: content, operation: context.local.operation)
        guard item.id.raw.prefix == key else { throw .forged("evidence") }
        accept(item, from: device, endpoint: endpoint)
      } catch {
        context.reject(error, from: endpoint)
      }
      if let want = evidence.next(from: device, now: context.now) { send(want, to: device) }
    }
  }

  /// Passes an item on whose signatures hold. The peer pays for each: an item that holds may never
  /// be kept, or may replace another one.
  private mutating func accept(_ item: EvidenceItem, from device: DeviceID, endpoint: Endpoint) {
    let cost = SignatureCost.milliseconds * Int64(item.signatureCount)
    guard
      context.peers[device]?.budget.evidenceSignatures.take(cost, now: context.clock.now) == true
    else {
      return context.reject(.throttled, from: endpoint)
    }
    guard item.holds(operation: context.local.operation, rootKey: context.local.rootKey) else {
      return context.reject(.forged, from: endpoint)
    }
    context.effects.append(.store(.evidence(item)))
  }
}
