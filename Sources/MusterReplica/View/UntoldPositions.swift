internal import MusterModel

/// Positions that could not be published because no key was available to seal them: a device was
/// revoked, and the next epoch's key has not arrived. Without this, the last position of a silent
/// tracker, and a position set by hand, would stay unknown to all other devices.
struct UntoldPositions: Sendable, Equatable {
  static let key = "untold positions"

  /// The newest of each, by the tracker's nonce; this device's own under nil.
  private(set) var reports: [Bytes16?: PositionReport] = [:]

  var isEmpty: Bool { reports.isEmpty }

  /// In the order of the trackers' nonces.
  var ordered: [(tracker: Bytes16?, report: PositionReport)] {
    reports.map { (tracker: $0.key, report: $0.value) }.sorted { left, right in
      guard let other = right.tracker else { return false }
      return left.tracker.map { $0 < other } ?? true
    }
  }

  subscript(tracker: Bytes16?) -> PositionReport? {
    get { reports[tracker] }
    set { reports[tracker] = newValue }
  }

  init() {}

  // MARK: Stored form

  /// The stored form, which is local: number of positions, then for each whether it is a tracker's,
  /// the tracker's nonce, latitude, longitude, accuracy plus one or 0, sample time and time of
  /// receipt.
  func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.append(UInt32(reports.count))
    for (tracker, report) in ordered {
      writer.append(UInt8(tracker == nil ? 0 : 1))
      writer.append(tracker ?? .zero)
      writer.append(report.fix.position.latitudeE7)
      writer.append(report.fix.position.longitudeE7)
      writer.append(report.fix.accuracyDecimetres.map { UInt64($0) + 1 } ?? 0)
      writer.append(report.fix.sampleTime.milliseconds)
      writer.append(report.reportedAt.milliseconds)
    }
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(DecodingFault) {
    var reader = ByteReader(bytes)
    for _ in 0..<(try reader.count(ofAtLeast: 49)) {
      let isTracker = try reader.integer(UInt8.self) == 1
      let tracker = try reader.bytes16()
      let position = Coordinate(
        latitudeE7: Int64(try reader.integer(Int32.self)),
        longitudeE7: Int64(try reader.integer(Int32.self)))
      let accuracy = try reader.integer(UInt64.self)
      let sampleTime = Timestamp(milliseconds: try reader.integer(Int64.self))
      let reportedAt = Timestamp(milliseconds: try reader.integer(Int64.self))
      guard let position, accuracy <= UInt64(UInt32.max) + 1 else { throw .invalid("position") }
      reports[isTracker ? tracker : nil] = PositionReport(
        fix: Fix(
          position: position, accuracyDecimetres: accuracy == 0 ? nil : UInt32(accuracy - 1),
          sampleTime: sampleTime),
        reportedAt: reportedAt)
    }
    try reader.expectEnd()
  }
}
