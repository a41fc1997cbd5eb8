internal import MusterCrypto
internal import MusterModel

/// Processing of received datagrams: size, then kind, then authentication, then contents.
extension SyncEngine {
  mutating func receive(_ bytes: [UInt8], by arrival: Arrival) {
    guard (1...Limits.largestDatagramBytes).contains(bytes.count) else {
      return context.reject(.size, from: arrival.endpoint)
    }
    guard let kind = DatagramKind(rawValue: bytes[0]) else {
      return context.reject(.unknownKind, from: arrival.endpoint)
    }
    do {
      switch kind {
      case .announce, .unversionedAnnounce: try receiveAnnounce(bytes[...], by: arrival)
      case .initiation, .joinInitiation, .response, .finish, .cookie, .withCookie:
        let outcome = try handshaker.receive(
          kind, bytes, by: arrival, contacts: &contacts, context: &context)
        if let outcome { complete(outcome, by: arrival) }
      case .transport: try receiveTransport(bytes, by: arrival)
      }
    } catch let error as WireError {
      context.reject(error, from: arrival.endpoint)
    } catch {
      context.reject(.malformed, from: arrival.endpoint)
    }
  }

  private mutating func complete(_ outcome: Handshaker.Outcome, by arrival: Arrival) {
    switch outcome {
    case .otherRules(let rules, let leaf):
      meet(
        leaf.certificate.device, certificate: leaf.hash, withOther: rules, at: arrival.endpoint)
    case .session(let session, let chain, let finish, let early):
      context.learn(chain)
      guard install(session, certificate: chain.leaf, link: arrival.link) else {
        return context.reject(.overLimit, from: arrival.endpoint)
      }
      guard let finish else {
        context.confirmFinish(on: session.localIndex)
        for bytes in early { receive(bytes, by: arrival) }
        return
      }
      context.transmit(finish, to: .endpoint(arrival.endpoint, arrival.link))
      context.sendRoots(to: chain.leaf.certificate.device, asksForAnswer: false)
    }
  }

  private mutating func receiveTransport(_ bytes: [UInt8], by arrival: Arrival) throws {
    var reader = ByteReader(bytes.dropFirst())
    let (localIndex, low) = (try reader.integer(UInt32.self), try reader.integer(UInt32.self))
    let opened = context.sessions[localIndex]?.open(counter: low, bytes.dropFirst(9))
    guard let (plaintext, counter) = opened, let peer = context.sessions[localIndex]?.peer else {
      if handshaker.keep(early: bytes, on: localIndex, from: arrival.endpoint) { return }
      return context.reject(.unauthenticated, from: arrival.endpoint)
    }
    context.sessions[localIndex]?.noteReceived(at: context.clock.now)
    guard case .device(let device) = peer else { return }
    context.peers[known: device].presence.bytesIn += UInt64(bytes.count + Limits.headerBytes)
    let packet = try Packet(decoding: plaintext, operation: context.local.operation)
    contacts.follow(
      device, to: arrival, on: localIndex, response: packet.response, context: &context)
    context.noteReceived(counter, packet: packet, on: localIndex, of: device)
    var arrival = arrival
    arrival.session = localIndex
    receive(packet, from: device, by: arrival)
    if let token = packet.challenge {
      contacts.respond(to: token, at: arrival, on: localIndex, context: &context)
    }
    if context.sessions[localIndex]?.endpoint != arrival.endpoint {
      contacts.challenge(arrival, on: localIndex, context: &context)
    }
  }

  private mutating func receive(_ packet: Packet, from device: DeviceID, by arrival: Arrival) {
    let endpoint = arrival.endpoint
    for chain in packet.chains { context.receive(chain: chain, from: device, endpoint: endpoint) }
    for piece in packet.evidence {
      evidence.receive(piece, from: device, endpoint: endpoint, context: &context)
    }
    if !packet.runs.isEmpty {
      context.peers[known: device].stall.noteDelivery(at: context.clock.now)
    }
    if !packet.wants.isEmpty {
      context.peers[known: device].stall.noteRequest(at: context.clock.now)
    }
    for run in packet.runs {
      receive(run, from: device, by: arrival)
      context.noteWhetherHeld(run, on: arrival.session)
    }
    if !packet.records.isEmpty { receive(packet.records, from: device, by: arrival) }
    for push in packet.pushed { receive(push, from: device, by: arrival) }
    for key in packet.keys { keys.receive(key, endpoint: endpoint, context: &context) }
    for hint in packet.heads {
      frames.noteHead(hint, of: device, on: arrival.session, context: &context)
    }
    if let clock = packet.clock { noteClock(clock, of: device) }
    let beginsDigest =
      packet.roots.map {
        reconciler.compare($0, of: device, on: arrival.session, context: &context)
      } ?? false
    for node in packet.digest {
      reconciler.compare(
        node, of: device, on: arrival.session, frames: &frames, evidence: &evidence,
        records: records.cache, context: &context)
    }
    context.serve(packet.wants, to: device)
    broadcaster.serve(packet.recordWants, of: records.cache, to: device, context: &context)
    context.serveCertificates(packet.certificateWants, to: device)
    for want in packet.evidenceWants.prefix(Limits.evidencePiecesAtOnce) {
      evidence.serve(want, to: device, context: &context)
    }
    for epoch in packet.keyRequests { keys.serve(epoch, to: device, context: &context) }
    for message in packet.blobs {
      blobs.receive(message, from: device, endpoint: endpoint, context: &context)
    }
    contacts.receive(packet.peers, from: device, context: &context)
    if packet.answer, !beginsDigest { context.answerProbe(of: device) }
    frames.pulls.continuePulls(from: device, context: &context)
  }
}
