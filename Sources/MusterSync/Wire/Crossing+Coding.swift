internal import MusterModel

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
