internal import MusterModel

extension Write {
  var wire: WireWrite {
    var wire = WireWrite()
    wire.row = .init(row.bytes)
    wire.field = UInt32(field.rawValue)
    switch value {
    case .text(let text): wire.text = text
    case .code(let code): wire.code = UInt32(code)
    case .position(let position): wire.position = position.wire
    case .geometry(let geometry): wire.geometry = .init(geometry.encoded)
    case .claim(let claim, let note):
      wire.claim.claim = UInt32(claim.rawValue)
      wire.claim.note = note
    case .mark: wire.mark = true
    case nil: break
    }
    var dots = ByteWriter()
    for dot in supersedes { dots.append(dot) }
    wire.supersedes = .init(dots.bytes)
    if let origin {
      wire.originOwner = .init(origin.owner.bytes)
      wire.originNonce = .init(origin.nonce.bytes)
    }
    return wire
  }

  /// `.unknown` for a field or a claim of a later version, `.invalid` for what can never be right.
  static func parse(_ wire: WireWrite) -> Operation {
    guard wire.unknownFields.data.isEmpty, let code = UInt8(exactly: wire.field),
      let field = Field(rawValue: code)
    else { return .unknown }
    guard let row = RowID(bytes: wire.row), let supersedes = dots(wire.supersedes) else {
      return .invalid
    }
    var origin: RowOrigin?
    if !wire.originOwner.isEmpty || !wire.originNonce.isEmpty {
      guard let owner = UserID(bytes: wire.originOwner), let nonce = Bytes16(wire.originNonce)
      else { return .invalid }
      origin = RowOrigin(owner: owner, nonce: nonce)
    }
    var value: Value?
    if let kind = wire.value {
      guard let parsed = Value(kind), field.accepts(parsed) else { return .invalid }
      value = parsed
    }
    return .write(
      Write(row: row, field: field, value: value, supersedes: supersedes, origin: origin))
  }

  private static func dots(_ bytes: some Collection<UInt8>) -> [Dot]? {
    guard bytes.count.isMultiple(of: 18), bytes.count / 18 <= Limits.supersededDots else {
      return nil
    }
    var reader = ByteReader(Array(bytes))
    var dots: [Dot] = []
    do {
      while reader.remaining > 0 { dots.append(try reader.dot()) }
    } catch {
      return nil
    }
    return dots
  }
}

extension Value {
  fileprivate init?(_ wire: WireWrite.OneOf_Value) {
    switch wire {
    case .text(let text): self = .text(text)
    case .code(let number):
      guard let code = UInt8(exactly: number) else { return nil }
      self = .code(code)
    case .position(let position):
      guard let coordinate = Coordinate(position) else { return nil }
      self = .position(coordinate)
    case .geometry(let bytes):
      var reader = ByteReader(Array(bytes))
      do {
        self = .geometry(try FenceGeometry(from: &reader))
        try reader.expectEnd()
      } catch {
        return nil
      }
    case .claim(let wire):
      guard let code = UInt8(exactly: wire.claim), let claim = SafetyClaim(rawValue: code) else {
        return nil
      }
      self = .claim(claim, note: wire.note)
    case .mark(let isSet):
      guard isSet else { return nil }
      self = .mark
    }
  }
}

extension Coordinate {
  var wire: WirePosition {
    var wire = WirePosition()
    wire.latitudeE7 = latitudeE7
    wire.longitudeE7 = longitudeE7
    return wire
  }

  init?(_ wire: WirePosition) {
    self.init(latitudeE7: Int64(wire.latitudeE7), longitudeE7: Int64(wire.longitudeE7))
  }
}

extension Fix {
  var wire: WireFix {
    var wire = WireFix()
    wire.position = position.wire
    wire.accuracyDecimetresPlusOne = accuracyDecimetres.map { $0 == .max ? $0 : $0 + 1 } ?? 0
    wire.sampleTime = sampleTime.milliseconds
    return wire
  }

  init?(_ wire: WireFix) {
    guard wire.hasPosition, let position = Coordinate(wire.position) else { return nil }
    let accuracy = wire.accuracyDecimetresPlusOne
    self.init(
      position: position, accuracyDecimetres: accuracy == 0 ? nil : accuracy - 1,
      sampleTime: Timestamp(milliseconds: wire.sampleTime))
  }
}

extension Crossing {
  var wire: WireCrossing {
    var wire = WireCrossing()
    wire.type = UInt32(type.rawValue)
    wire.fence = .init(fence.bytes)
    wire.fenceVersion = .init(fenceVersion.bytes)
    wire.subject = .init(subject.bytes)
    wire.transition = transition
    wire.fix = fix.wire
    wire.baseline = isBaseline
    return wire
  }

  init?(_ wire: WireCrossing) {
    guard let code = UInt8(exactly: wire.type), let type = CrossingType(rawValue: code),
      let fence = RowID(bytes: wire.fence),
      let version = FenceVersion(bytes: wire.fenceVersion),
      let subject = DeviceID(bytes: wire.subject), wire.transition > 0, let fix = Fix(wire.fix)
    else { return nil }
    self.init(
      type: type, fence: fence, fenceVersion: version, subject: subject,
      transition: wire.transition, fix: fix, isBaseline: wire.baseline)
  }
}
