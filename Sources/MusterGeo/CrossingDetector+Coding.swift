internal import MusterModel

/// The reason why bytes are not a valid state of a `CrossingDetector`.
public enum CrossingStateFault: Error, Hashable, Sendable, CustomStringConvertible {
  case unknownFormat(UInt8)
  case truncated
  case trailingBytes
  case invalid(String)

  /// One line for the log.
  public var description: String {
    switch self {
    case .unknownFormat(let format): "crossing state has the unknown format \(format)"
    case .truncated: "crossing state is cut short"
    case .trailingBytes: "crossing state is followed by other bytes"
    case .invalid(let what): "crossing state is damaged: \(what)"
    }
  }
}

// Format 3, big-endian: format 1 byte · has a time 1 · sample time 8 · stays 4 · each stay: fence
// 16, version 16, flags 1, waiting since 8 or zeros · counts 4 · each count: fence 16,
// transitions 4, flags 1, with a rate: began 8, events 4, last 8, with a pending crossing: version
// 16, latitude 4, longitude 4, accuracy 4 or zeros, sample time 8.
// Flags of a stay: 1 leaving, 2 waiting, 4 baseline. Flags of a count: 1 rate, 2 inside, 4 pending,
// 8 baseline, 16 accuracy, 32 pending ENTER. Format 2 is the same without the flags of counts and
// what follows them.
extension CrossingDetector {
  private static let format: UInt8 = 3
  private static let formatWithoutRates: UInt8 = 2
  private static let stayBytes = 41
  private static let countBytes = 20

  /// Encodes the state, so that it survives a restart, except for what `encodedWatch` contains.
  public func encoded() -> [UInt8] {
    var bytes: [UInt8] = [Self.format, lastSampleTime == nil ? 0 : 1]
    bytes.reserveCapacity(18 + stays.count * Self.stayBytes + counts.count * Self.countBytes)
    bytes.append(bigEndian: UInt64(bitPattern: lastSampleTime?.milliseconds ?? 0))
    bytes.append(bigEndian: UInt32(stays.count))
    for stay in stays {
      bytes += stay.fence.bytes
      bytes += stay.version.bytes
      bytes.append(
        (stay.isLeaving ? 1 : 0) | (stay.wait == nil ? 0 : 2)
          | (stay.wait?.isBaseline == true ? 4 : 0))
      bytes.append(bigEndian: UInt64(bitPattern: stay.wait?.since.milliseconds ?? 0))
    }
    bytes.append(bigEndian: UInt32(counts.count))
    for count in counts {
      bytes += count.fence.bytes
      bytes.append(bigEndian: count.transitions)
      bytes.append(count.rate)
    }
    return bytes
  }

  /// Encodes the active fences, sixteen bytes each: by far the longest part if there are many, and
  /// unchanged from fix to fix until a fence changes (see `watches`).
  public func encodedWatch() -> [UInt8] { watched.flatMap(\.bytes) }

  /// Decodes the output of `encoded` and `encodedWatch`, and rejects everything else.
  public init(decoding bytes: [UInt8], watch: [UInt8]) throws(CrossingStateFault) {
    var reader = BigEndianReader(bytes)
    let format = UInt8(try reader.integer(bytes: 1))
    guard [Self.format, Self.formatWithoutRates].contains(format) else {
      throw .unknownFormat(format)
    }
    let hasTime = try reader.integer(bytes: 1)
    let milliseconds = Int64(bitPattern: try reader.integer(bytes: 8))
    guard hasTime == 1 || (hasTime == 0 && milliseconds == 0) else { throw .invalid("time") }
    self.init()
    lastSampleTime = hasTime == 1 ? Timestamp(milliseconds: milliseconds) : nil
    for _ in 0..<(try reader.count(of: Self.stayBytes)) { stays.append(try reader.stay()) }
    for _ in 0..<(try reader.count(of: Self.countBytes)) {
      let fence = RowID(raw: try reader.bytes16())
      var count = Count(fence: fence, transitions: UInt32(try reader.integer(bytes: 4)))
      if format == Self.format { count.rate = try reader.rate() }
      counts.append(count)
    }
    guard reader.isAtEnd else { throw .trailingBytes }
    var watchReader = BigEndianReader(watch)
    while !watchReader.isAtEnd { watched.append(RowID(raw: try watchReader.bytes16())) }
    if let violation { throw .invalid(violation) }
  }
}

extension [UInt8] {
  fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }

  fileprivate mutating func append(_ rate: CrossingRate?) {
    guard let rate else { return append(0) }
    let pending = rate.pending
    append(
      1 | (rate.side == .enter ? 2 : 0) | (pending == nil ? 0 : 4)
        | (pending?.isBaseline == true ? 8 : 0)
        | (pending?.fix.accuracyDecimetres == nil ? 0 : 16)
        | (pending?.type == .enter ? 32 : 0))
    append(bigEndian: rate.began.milliseconds)
    append(bigEndian: rate.events)
    append(bigEndian: rate.last.milliseconds)
    guard let pending else { return }
    self += pending.version.bytes
    append(bigEndian: pending.fix.position.latitudeE7)
    append(bigEndian: pending.fix.position.longitudeE7)
    append(bigEndian: pending.fix.accuracyDecimetres ?? 0)
    append(bigEndian: pending.fix.sampleTime.milliseconds)
  }
}

private struct BigEndianReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func integer(bytes width: Int) throws(CrossingStateFault) -> UInt64 {
    guard rest.count >= width else { throw .truncated }
    defer { rest = rest.dropFirst(width) }
    return rest.prefix(width).reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func bytes16() throws(CrossingStateFault) -> Bytes16 {
    Bytes16(high: try integer(bytes: 8), low: try integer(bytes: 8))
  }

  mutating func stay() throws(CrossingStateFault) -> CrossingDetector.Stay {
    let fence = RowID(raw: try bytes16())
    let version = FenceVersion(raw: try bytes16())
    let flags = try integer(bytes: 1)
    let since = Timestamp(milliseconds: Int64(bitPattern: try integer(bytes: 8)))
    let isWaiting = flags & 2 != 0
    guard flags < 8, isWaiting || (flags & 4 == 0 && since.milliseconds == 0) else {
      throw .invalid("stay")
    }
    let wait = CrossingDetector.Wait(since: since, isBaseline: flags & 4 != 0)
    return CrossingDetector.Stay(
      fence: fence, version: version, isLeaving: flags & 1 != 0, wait: isWaiting ? wait : nil)
  }

  mutating func rate() throws(CrossingStateFault) -> CrossingRate? {
    let flags = try integer(bytes: 1)
    guard flags != 0 else { return nil }
    let hasPending = flags & 4 != 0
    guard flags < 64, flags & 1 != 0, hasPending || flags & 56 == 0 else { throw .invalid("rate") }
    let (began, events) = (try time(), UInt32(try integer(bytes: 4)))
    return CrossingRate(
      began: began, events: events, last: try time(), side: flags & 2 == 0 ? .exit : .enter,
      pending: hasPending ? try pending(flags) : nil)
  }

  private mutating func pending(
    _ flags: UInt64
  ) throws(CrossingStateFault) -> CrossingRate.Pending {
    let version = FenceVersion(raw: try bytes16())
    let latitude = Int32(truncatingIfNeeded: try integer(bytes: 4))
    let longitude = Int32(truncatingIfNeeded: try integer(bytes: 4))
    let accuracy = UInt32(try integer(bytes: 4))
    let place = Coordinate(latitudeE7: Int64(latitude), longitudeE7: Int64(longitude))
    guard let place else { throw .invalid("position") }
    let isAccurate = flags & 16 != 0
    guard isAccurate || accuracy == 0 else { throw .invalid("accuracy") }
    return CrossingRate.Pending(
      type: flags & 32 == 0 ? .exit : .enter, version: version,
      fix: Fix(
        position: place, accuracyDecimetres: isAccurate ? accuracy : nil,
        sampleTime: try time()),
      isBaseline: flags & 8 != 0)
  }

  private mutating func time() throws(CrossingStateFault) -> Timestamp {
    Timestamp(milliseconds: Int64(bitPattern: try integer(bytes: 8)))
  }

  /// Reads a count, checked against the remaining bytes before anything is allocated.
  mutating func count(of size: Int) throws(CrossingStateFault) -> Int {
    let count = Int(try integer(bytes: 4))
    guard count <= rest.count / size else { throw .truncated }
    return count
  }
}
