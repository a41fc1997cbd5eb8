internal import MusterCrypto
internal import MusterModel

/// The way in: size, then kind, then authentication, then contents.
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
      case .announce: try receiveAnnounce(bytes.dropFirst(), from: endpoint)
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
      case .transport:
        let index = try reader.integer(UInt32.self)
        let counter = try reader.integer(UInt64.self)
        try receiveTransport(
          bytes.dropFirst(13), localIndex: index, counter: counter, from: endpoint)
      }
    } catch let error as WireError {
      reject(error, from: endpoint)
    } catch {
      reject(.malformed, from: endpoint)
    }
  }

  private mutating func receiveTransport(
    _ ciphertext: ArraySlice<UInt8>, localIndex: UInt32, counter: UInt64, from endpoint: Endpoint
  ) throws(WireError) {
    guard var session = sessions[localIndex],
      let plaintext = session.open(counter: counter, ciphertext)
    else { return reject(.unauthenticated, from: endpoint) }
    session.endpoint = endpoint
    session.link = arrivalLink
    session.lastReceived = now
    session.unconfirmedFinish = nil
    sessions[localIndex] = session
    guard case .device(let device) = session.peer else { return }
    peers[device]?.endpoint = endpoint
    peers[device]?.lastHeard = now
    let packet = try Packet(decoding: plaintext, operation: local.operation)
    noteReceived(counter, packet: packet, on: localIndex, of: device)
    receive(packet, from: device, endpoint: endpoint)
  }

  private mutating func receive(_ packet: Packet, from device: DeviceID, endpoint: Endpoint) {
    for run in packet.runs { receive(run, from: device, endpoint: endpoint) }
    for record in packet.records { receive(record, from: device, endpoint: endpoint) }
    for key in packet.keys { receive(key, endpoint: endpoint) }
    for hint in packet.heads { noteHead(hint, of: device) }
    if let roots = packet.roots { compare(roots, of: device) }
    for node in packet.digest { compare(node, of: device) }
    serve(packet.wants, to: device)
    for topic in packet.recordWants {
      if let record = records[topic] { send(record, to: device) }
    }
    for epoch in packet.keyRequests { serveKey(epoch, to: device) }
    continuePulls(from: device)
  }

  /// The session to speak on: the one last heard on, so that both sides settle on one of two.
  func liveSession(of device: DeviceID) -> UInt32? {
    peers[device]?.sessions.max { left, right in
      guard let left = sessions[left], let right = sessions[right] else { return false }
      return (left.lastReceived, left.establishedAt) < (right.lastReceived, right.establishedAt)
    }
  }
}
