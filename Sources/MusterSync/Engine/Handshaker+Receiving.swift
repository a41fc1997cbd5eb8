internal import MusterModel

/// Handshake datagrams, by kind.
extension Handshaker {
  /// Handles a datagram of a handshake.
  ///
  /// - Parameter bytes: the whole datagram.
  /// - Returns: the result of the handshake that it completes; nil if it completes none.
  mutating func receive(
    _ kind: DatagramKind, _ bytes: [UInt8], by arrival: Arrival, contacts: inout Connector,
    context: inout Context
  ) throws -> Outcome? {
    var reader = ByteReader(bytes.dropFirst())
    switch kind {
    case .initiation:
      let index = try reader.integer(UInt32.self)
      try receiveInitiation(
        bytes.dropFirst(5), remoteIndex: index, size: bytes.count, by: arrival,
        contacts: contacts, context: &context)
      return nil
    case .joinInitiation:
      let invite = try reader.identifier(InviteID.self)
      let index = try reader.integer(UInt32.self)
      try receiveJoinInitiation(
        bytes.dropFirst(21), invite: invite, remoteIndex: index, size: bytes.count,
        by: arrival, contacts: contacts, context: &context)
      return nil
    case .response:
      let localIndex = try reader.integer(UInt32.self)
      let remoteIndex = try reader.integer(UInt32.self)
      return try receiveResponse(
        bytes.dropFirst(9), localIndex: localIndex, remoteIndex: remoteIndex, by: arrival,
        contacts: &contacts, context: &context)
    case .finish:
      let index = try reader.integer(UInt32.self)
      return try receiveFinish(
        bytes.dropFirst(5), localIndex: index, by: arrival, contacts: &contacts, context: &context)
    case .cookie:
      let index = try reader.integer(UInt32.self)
      guard reader.remaining == cookieBytes else { throw WireError.malformed("cookie") }
      receiveCookie(
        Array(bytes.dropFirst(5)), localIndex: index, by: arrival, context: &context)
      return nil
    case .withCookie:
      guard
        let inner = initiation(withCookie: bytes.dropFirst(), by: arrival, context: &context)
      else { return nil }
      var arrival = arrival
      arrival.hasCookie = true
      return try receive(
        inner.kind, inner.bytes, by: arrival, contacts: &contacts, context: &context)
    // The engine handles these.
    case .announce, .unversionedAnnounce, .transport: return nil
    }
  }
}
