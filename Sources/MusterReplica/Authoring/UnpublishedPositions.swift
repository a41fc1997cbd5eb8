internal import MusterModel

/// Positions that could not be published because no key was available to seal them: a device was
/// revoked, and the next epoch's key has not arrived. Without this, the last position of a silent
/// tracker, and a position set by hand, would stay unknown to all other devices.
struct UnpublishedPositions: Sendable, Equatable {
  static let key = "untold positions"

  /// A position of this device or of a tracker.
  struct Position: Sendable, Equatable {
    /// Of the record that publishes it; of one that waits, when it came.
    var order: RecordOrder
    var report: PositionReport
    /// Fixes of earlier positions that this one does not supersede.
    let earlier: [EarlierFix]
    /// The order of the record that published the fix first; nil for a new fix.
    var fixOrder: RecordOrder?
  }

  /// The newest of each, by the tracker's nonce; this device's own under nil.
  private(set) var positions: [Bytes16?: Position] = [:]

  var isEmpty: Bool { positions.isEmpty }

  /// In the order of the trackers' nonces.
  var ordered: [(tracker: Bytes16?, position: Position)] {
    positions.map { (tracker: $0.key, position: $0.value) }.sorted { left, right in
      guard let other = right.tracker else { return false }
      return left.tracker.map { $0 < other } ?? true
    }
  }

  subscript(tracker: Bytes16?) -> Position? {
    get { positions[tracker] }
    set { positions[tracker] = newValue }
  }

  init() {}

  // MARK: Stored form

  /// The stored form, which is local: number of positions, then for each whether it is a tracker's,
  /// the tracker's nonce, latitude, longitude, accuracy plus one or 0, sample time and time of
  /// receipt. Then for each its generation, incarnation, counter and earlier fixes, and then for
  /// each the code and milliseconds of its age at receipt; older programs ended before either.
  func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.append(UInt32(positions.count))
    for (tracker, position) in ordered {
      let report = position.report
      writer.append(UInt8(tracker == nil ? 0 : 1))
      writer.append(tracker ?? .zero)
      writer.append(
        report.fix.position, accuracyDecimetres: report.fix.accuracyDecimetres)
      writer.append(report.fix.sampleTime.milliseconds)
      writer.append(report.reportedAt.milliseconds)
    }
    for (_, position) in ordered {
      writer.append(position.order)
      EarlierFix.append(position.earlier, to: &writer)
    }
    for (_, position) in ordered {
      let age = position.report.age.atReceipt
      writer.append(UInt8(age.code))
      writer.append(age.leastMilliseconds ?? 0)
    }
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(DecodingFault) {
    var reader = ByteReader(bytes)
    var reports: [(tracker: Bytes16?, report: PositionReport)] = []
    for _ in 0..<(try reader.count(ofAtLeast: 49)) {
      let isTracker = try reader.integer(UInt8.self) == 1
      let tracker = try reader.bytes16()
      let (position, accuracy) = try reader.accuracyCircle()
      let sampleTime = Timestamp(milliseconds: try reader.integer(Int64.self))
      let reportedAt = Timestamp(milliseconds: try reader.integer(Int64.self))
      let fix = Fix(position: position, accuracyDecimetres: accuracy, sampleTime: sampleTime)
      reports.append(
        (isTracker ? tracker : nil, PositionReport(fix: fix, reportedAt: reportedAt)))
    }
    let isOlder = reader.remaining == 0
    for (tracker, report) in reports {
      var order = RecordOrder(generation: 1, incarnation: Incarnation(raw: .zero), counter: 0)
      var earlier: [EarlierFix] = []
      if !isOlder {
        order = try reader.recordOrder()
        earlier = try EarlierFix.list(from: &reader)
      }
      positions[tracker] = Position(order: order, report: report, earlier: earlier)
    }
    let hasAges = reader.remaining > 0
    for (tracker, _) in reports where hasAges {
      let code = UInt32(try reader.integer(UInt8.self))
      let age = SampleAge(code: code, milliseconds: try reader.integer(Int64.self))
      positions[tracker]?.report.age = FixAge(age)
    }
    try reader.expectEnd()
  }
}
