extension Value {
  /// Appends the canonical encoding, which is the same on every node and part of the state hash.
  public func append(to writer: inout ByteWriter) {
    switch self {
    case .text(let text):
      writer.append(UInt8(1))
      writer.append(text)
    case .code(let code):
      writer.append(UInt8(2))
      writer.append(code)
    case .position(let position):
      writer.append(UInt8(3))
      position.append(to: &writer)
    case .geometry(let geometry):
      writer.append(UInt8(4))
      geometry.append(to: &writer)
    case .claim(let claim, let note):
      writer.append(UInt8(5))
      writer.append(claim.rawValue)
      writer.append(note)
    case .mark:
      writer.append(UInt8(6))
    case .reference(let row):
      writer.append(UInt8(7))
      writer.append(row)
    case .time(let moment):
      writer.append(UInt8(8))
      writer.append(moment.milliseconds)
    case .number(let number):
      writer.append(UInt8(9))
      writer.append(number)
    case .bytes(let bytes):
      writer.append(UInt8(10))
      writer.append(lengthPrefixed: bytes)
    case .reply(let user, let note):
      writer.append(UInt8(11))
      writer.append(user)
      writer.append(note)
    case .overruling(let claim, let note, let seen):
      writer.append(UInt8(12))
      writer.append(claim.rawValue)
      writer.append(note)
      writer.append(seen)
    case .profile(let profile):
      writer.append(UInt8(13))
      profile.append(to: &writer)
    case .photo(let photo):
      writer.append(UInt8(40))
      photo.append(to: &writer)
    case .accounting, .relayedClaim, .signOff, .signOn, .alertReply, .trackerReply, .checkIn:
      appendPersonal(to: &writer)
    }
  }

  private func appendPersonal(to writer: inout ByteWriter) {
    switch self {
    case .accounting(let accounting):
      writer.append(UInt8(14))
      accounting.append(to: &writer)
    case .relayedClaim(let claim, let note, let login, let seen):
      writer.append(UInt8(15))
      writer.append(claim.rawValue)
      writer.append(note)
      writer.append(login)
      writer.append(seen)
    case .signOff(let reason, let seen):
      writer.append(UInt8(16))
      writer.append(reason)
      writer.append(seen)
    case .signOn(let reason):
      writer.append(UInt8(17))
      writer.append(reason)
    case .alertReply(let reply):
      writer.append(UInt8(18))
      reply.append(to: &writer)
    case .trackerReply(let nonce, let note):
      writer.append(UInt8(19))
      writer.append(nonce)
      writer.append(note)
    case .checkIn(let report):
      writer.append(UInt8(20))
      report.append(to: &writer)
    default: preconditionFailure("\(self) has bytes of its own")
    }
  }

  /// Reads what `append(to:)` wrote. Throws `DecodingFault.invalid` for an unknown tag or claim.
  public init(from reader: inout ByteReader) throws(DecodingFault) {
    let tag = try reader.integer(UInt8.self)
    switch tag {
    case 1: self = .text(try reader.text())
    case 2: self = .code(try reader.integer(UInt8.self))
    case 3: self = .position(try Coordinate(from: &reader))
    case 4: self = .geometry(try FenceGeometry(from: &reader))
    case 5:
      let claim = try SafetyClaim(from: &reader)
      self = .claim(claim, note: try reader.text())
    case 6: self = .mark
    case 7: self = .reference(try reader.identifier(RowID.self))
    case 8: self = .time(Timestamp(milliseconds: try reader.integer(Int64.self)))
    case 9: self = .number(try reader.integer(UInt32.self))
    case 10: self = .bytes(try reader.lengthPrefixed())
    case 11:
      let user = try reader.identifier(UserID.self)
      self = .reply(user, note: try reader.text())
    case 12:
      let claim = try SafetyClaim(from: &reader)
      let note = try reader.text()
      self = .overruling(claim, note: note, seen: try reader.dots())
    case 13: self = .profile(try LocationProfile(from: &reader))
    case 40: self = .photo(try Photo(from: &reader))
    default: try self.init(personal: tag, from: &reader)
    }
  }

  private init(personal tag: UInt8, from reader: inout ByteReader) throws(DecodingFault) {
    switch tag {
    case 14: self = .accounting(try Accounting(from: &reader))
    case 15:
      let claim = try SafetyClaim(from: &reader)
      let note = try reader.text()
      let login = try reader.text()
      self = .relayedClaim(claim, note: note, login: login, seen: try reader.dots())
    case 16:
      let reason = try reader.text()
      self = .signOff(reason: reason, seen: try reader.identifiers(RowID.self))
    case 17: self = .signOn(reason: try reader.text())
    case 18: self = .alertReply(try AlertReply(from: &reader))
    case 19:
      let nonce = try reader.bytes16()
      self = .trackerReply(nonce, note: try reader.text())
    case 20: self = .checkIn(try CheckInReport(from: &reader))
    default: throw .invalid("unknown value type")
    }
  }
}

extension SafetyClaim {
  fileprivate init(from reader: inout ByteReader) throws(DecodingFault) {
    guard let claim = SafetyClaim(rawValue: try reader.integer(UInt8.self)) else {
      throw .invalid("unknown safety claim")
    }
    self = claim
  }
}

extension Coordinate {
  /// Appends latitude then longitude, four bytes each, two's complement.
  public func append(to writer: inout ByteWriter) {
    writer.append(latitudeE7)
    writer.append(longitudeE7)
  }

  /// Reads what `append(to:)` wrote. Rejects a coordinate out of range.
  public init(from reader: inout ByteReader) throws(DecodingFault) {
    let latitude = Int64(try reader.integer(Int32.self))
    let longitude = Int64(try reader.integer(Int32.self))
    guard let coordinate = Coordinate(latitudeE7: latitude, longitudeE7: longitude) else {
      throw .invalid("coordinate out of range")
    }
    self = coordinate
  }
}

extension FenceGeometry {
  /// Appends a tag, then the polygons with their rings (outer first), or the centre and radius.
  public func append(to writer: inout ByteWriter) {
    switch self {
    case .polygons(let polygons):
      writer.append(UInt8(1))
      writer.append(UInt32(polygons.count))
      for polygon in polygons {
        writer.append(UInt32(1 + polygon.holes.count))
        for ring in [polygon.outer] + polygon.holes {
          writer.append(UInt32(ring.vertices.count))
          for vertex in ring.vertices { vertex.append(to: &writer) }
        }
      }
    case .circle(let center, let radiusCentimetres):
      writer.append(UInt8(2))
      center.append(to: &writer)
      writer.append(radiusCentimetres)
    }
  }

  /// Reads what `append(to:)` wrote. Rejects what exceeds `Limits` before allocation.
  public init(from reader: inout ByteReader) throws(DecodingFault) {
    switch try reader.integer(UInt8.self) {
    case 1: self = .polygons(try Self.polygons(from: &reader))
    case 2:
      let center = try Coordinate(from: &reader)
      let radius = try reader.integer(UInt32.self)
      guard (1...Limits.circleRadiusCentimetres).contains(radius) else {
        throw .invalid("circle radius out of range")
      }
      self = .circle(center: center, radiusCentimetres: radius)
    default: throw .invalid("unknown geometry type")
    }
  }

  /// The encoding of the outline alone, as stored and as sent in a write.
  public var encoded: [UInt8] {
    var writer = ByteWriter()
    append(to: &writer)
    return writer.bytes
  }

  private static func polygons(
    from reader: inout ByteReader
  ) throws(DecodingFault) -> [FencePolygon] {
    var polygons: [FencePolygon] = []
    var (rings, vertices) = (0, 0)
    let polygonCount = try reader.count(ofAtLeast: 32)
    guard polygonCount >= 1 else { throw .invalid("no polygon") }
    for _ in 0..<polygonCount {
      let ringCount = try reader.count(ofAtLeast: 28)
      rings += ringCount
      guard ringCount >= 1, rings <= Limits.ringsPerFence else { throw .invalid("ring count") }
      var parsed: [Ring] = []
      for _ in 0..<ringCount {
        let vertexCount = try reader.count(ofAtLeast: 8)
        vertices += vertexCount
        guard (3...Limits.verticesPerRing).contains(vertexCount),
          vertices <= Limits.verticesPerFence
        else { throw .invalid("vertex count") }
        var ring: [Coordinate] = []
        ring.reserveCapacity(vertexCount)
        for _ in 0..<vertexCount { ring.append(try Coordinate(from: &reader)) }
        parsed.append(Ring(ring))
      }
      polygons.append(FencePolygon(outer: parsed[0], holes: Array(parsed.dropFirst())))
    }
    return polygons
  }
}
