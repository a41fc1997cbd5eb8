internal import MusterCrypto
internal import MusterModel

/// Processing of received datagrams: size, then kind, then authentication, then contents.
extension SyncEngine {
  mutating func receive(_ bytes: [UInt8], from endpoint: Endpoint) {
    guard (1...Limits.datagramBytes).contains(bytes.count) else {
      return reject(.size, from: endpoint)
    }
    guard let kind = DatagramKind(rawValue: bytes[0]) else {
      return reject(.unknownKind, from: endpoint)
    }
    do {
      var reader = ByteReader(bytes.dropFirst())
      switch kind {
      case .announce, .unversionedAnnounce: try receiveAnnounce(bytes[...], from: endpoint)
      case .initiation:
        let index = try reader.integer(UInt32.self)
        try receiveInitiation(
          bytes.dropFirst(5), remoteIndex: index, size: bytes.count, from: endpoint)
      case .joinInitiation:
        let invite = try reader.identifier(InviteID.self)
        let index = try reader.integer(UInt32.self)
        try receiveJoinInitiation(
          bytes.dropFirst(21), invite: invite, remoteIndex: index, size: bytes.count,
          from: endpoint)
      case .response:
        let localIndex = try reader.integer(UInt32.self)
        let remoteIndex = try reader.integer(UInt32.self)
        try receiveResponse(
          bytes.dropFirst(9), localIndex: localIndex, remoteIndex: remoteIndex, from: endpoint)
      case .finish:
        let index = try reader.integer(UInt32.self)
        try receiveFinish(bytes.dropFirst(5), localIndex: index, from: endpoint)
      case .cookie:
        let index = try reader.integer(UInt32.self)
        guard reader.remaining == cookieBytes else { throw WireError.malformed("cookie") }
        receiveCookie(Array(bytes.dropFirst(5)), localIndex: index, from: endpoint)
      case .withCookie: receiveWithCookie(bytes.dropFirst(), from: endpoint)
      case .transport:
        let index = try reader.integer(UInt32.self)
        let counter = try reader.integer(UInt32.self)
        try receiveTransport(
          bytes.dropFirst(9), localIndex: index, counter: counter, from: endpoint)
      }
    } catch let error as WireError {
      reject(error, from: endpoint)
    } catch {
      reject(.malformed, from: endpoint)
    }
  }

  private mutating func receiveTransport(
    _ ciphertext: ArraySlice<UInt8>, localIndex: UInt32, counter: UInt32, from endpoint: Endpoint
  ) throws(WireError) {
    guard let (plaintext, counter) = sessions[localIndex]?.open(counter: counter, ciphertext),
      let peer = sessions[localIndex]?.peer
    else { return reject(.unauthenticated, from: endpoint) }
    sessions[localIndex]?.lastReceived = now
    sessions[localIndex]?.unconfirmedFinish = nil
    guard case .device(let device) = peer else { return }
    peers[device]?.bytesIn += UInt64(ciphertext.count + 9 + Limits.headerBytes)
    let packet = try Packet(decoding: plaintext, operation: local.operation)
    follow(device, to: endpoint, on: localIndex, response: packet.response)
    noteReceived(counter, packet: packet, on: localIndex, of: device)
    arrivalSession = localIndex
    receive(packet, from: device, endpoint: endpoint)
    arrivalSession = nil
    if let token = packet.challenge { respond(to: token, at: endpoint, on: localIndex) }
    if sessions[localIndex]?.endpoint != endpoint { challenge(endpoint, on: localIndex) }
  }

  private mutating func receive(_ packet: Packet, from device: DeviceID, endpoint: Endpoint) {
    for chain in packet.chains { receive(chain: chain, from: device, endpoint: endpoint) }
    for piece in packet.evidence { receive(piece, from: device, endpoint: endpoint) }
    if !packet.runs.isEmpty { peers[device]?.lastHanded = now }
    if !packet.wants.isEmpty { peers[device]?.lastAsked = now }
    for run in packet.runs {
      receive(run, from: device, endpoint: endpoint)
      noteWhetherHeld(run)
    }
    if !packet.records.isEmpty { receive(packet.records, from: device, endpoint: endpoint) }
    for push in packet.pushed { receive(push, from: device, endpoint: endpoint) }
    for key in packet.keys { receive(key, endpoint: endpoint) }
    for hint in packet.heads { noteHead(hint, of: device) }
    if let clock = packet.clock { noteClock(clock, of: device) }
    let beginsDigest = packet.roots.map { compare($0, of: device) } ?? false
    for node in packet.digest { compare(node, of: device) }
    serve(packet.wants, to: device)
    for topic in packet.recordWants {
      if let record = records[topic] { send(record, to: device) }
    }
    serveCertificates(packet.certificateWants, to: device)
    for want in packet.evidenceWants.prefix(Limits.evidencePiecesAtOnce) {
      serveEvidence(want, to: device)
    }
    for epoch in packet.keyRequests { serveKey(epoch, to: device) }
    receive(packet.peers, from: device)
    if packet.answer, !beginsDigest { answerProbe(of: device) }
    continuePulls(from: device)
  }
}
