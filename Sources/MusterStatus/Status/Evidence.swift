public import MusterModel

/// The observer's clocks at the moment of an assessment.
public struct StatusClock: Hashable, Sendable {
  /// Milliseconds of the boot clock, which decides.
  public let boot: Int64
  /// The wall clock, which is used only for records without a stamp.
  public let wall: Timestamp

  /// Creates a reading. Both clocks MUST be read at one moment.
  public init(boot: Int64, wall: Timestamp) {
    self.boot = boot
    self.wall = wall
  }
}

/// What an observer knows of the time at which a record was made.
public enum Evidence: Hashable, Sendable {
  /// Bounds by the observer's boot clock, from stamps and echoes (decision 0035).
  case stamped(Span)
  /// A record of an older program: its arrival, and its author's wall clock.
  case unstamped(arrival: Int64, reportedAt: Timestamp)

  /// Returns when it was made, by the observer's boot clock.
  public func moment(at clock: StatusClock) -> Span {
    switch self {
    case .stamped(let span): return span
    case .unstamped(let arrival, let reportedAt):
      let age = UnstampedAge(
        sinceArrival: clock.boot - arrival, wall: clock.wall, reportedAt: reportedAt
      ).milliseconds
      let longest = -Span.longAgo
      return Span(
        earliest: clock.boot - min(age.latest, longest),
        latest: clock.boot - min(age.earliest, longest))
    }
  }

  /// Whether the author's wall clock contradicts the arrival.
  public func clockDiffers(at clock: StatusClock) -> Bool {
    guard case .unstamped(let arrival, let reportedAt) = self else { return false }
    return UnstampedAge(
      sinceArrival: clock.boot - arrival, wall: clock.wall, reportedAt: reportedAt
    ).clockDiffers
  }
}

/// A position as input of the status function.
public struct FixEvidence: Hashable, Sendable {
  /// The order of its record: greater is newer.
  public var order: RecordOrder
  /// The position.
  public var position: Coordinate
  /// Accuracy radius in decimetres; nil if unknown, which counts as 100 m.
  public var accuracyDecimetres: UInt32?
  /// The time of the report.
  public var made: Evidence

  /// Creates a position with the evidence of its time.
  public init(
    order: RecordOrder, position: Coordinate, accuracyDecimetres: UInt32?, made: Evidence
  ) {
    self.order = order
    self.position = position
    self.accuracyDecimetres = accuracyDecimetres
    self.made = made
  }

  /// The limit of usable fixes: a coarser fix is no evidence of danger.
  public static let coarsestDecimetres: UInt32 = 10_000
  /// The limit of fine fixes, which decide for each zone.
  public static let fineDecimetres: UInt32 = 1000

  /// At most 1 km of accuracy, and not at 0,0, which receivers without a fix send.
  public var isUsable: Bool {
    (accuracyDecimetres ?? Self.fineDecimetres) <= Self.coarsestDecimetres
      && (position.latitudeE7, position.longitudeE7) != (0, 0)
  }

  /// Whether it decides for each zone: no coarser than 100 m.
  public var isFine: Bool {
    (accuracyDecimetres ?? Self.fineDecimetres) <= Self.fineDecimetres
  }

  /// Whether it is accurate enough to show a person as safe.
  var showsSafety: Bool { accuracyDecimetres.map { $0 <= Self.fineDecimetres } ?? false }

  /// Radius in metres.
  var accuracyMetres: Double { Double(accuracyDecimetres ?? Self.fineDecimetres) / 10 }
}

/// The usable fixes of a device that still matter: a fine one decides for every zone, so earlier
/// ones are dropped. At most `limit` are kept.
public struct FixHistory: Hashable, Sendable {
  /// The number of fixes kept of one device.
  public static let limit = 16

  /// By order, the newest last.
  public private(set) var fixes: [FixEvidence] = []

  /// Creates an empty history.
  public init() {}

  /// Inserts all fixes in any order, and drops unusable ones.
  public init(all fixes: [FixEvidence]) {
    self.fixes = fixes.filter(\.isUsable).sorted { $0.order < $1.order }
  }

  /// The newest usable fix.
  public var newest: FixEvidence? { fixes.last }

  /// Replaces the evidence of the time of a fix.
  public mutating func refine(_ order: RecordOrder, made: Evidence) {
    guard let index = fixes.lastIndex(where: { $0.order == order }) else { return }
    fixes[index].made = made
  }

  /// Adds a fix; an unusable one, or one that is not the newest, changes nothing.
  ///
  /// - Parameters:
  ///   - isRevoked: whether the device is revoked: its fixes clear nothing.
  ///   - isDanger: whether a fix is in a hazard zone; such a fix is dropped last.
  public mutating func record(
    _ fix: FixEvidence, isRevoked: Bool, isDanger: (FixEvidence) -> Bool
  ) {
    guard fix.isUsable, newest.map({ $0.order < fix.order }) ?? true else { return }
    if fix.isFine, !isRevoked { fixes.removeAll() }
    fixes.append(fix)
    guard fixes.count > Self.limit else { return }
    let spare = fixes.dropLast().firstIndex { !isDanger($0) } ?? fixes.startIndex
    fixes.remove(at: spare)
  }
}

/// A device of a person, or a tracker, as input of the status function.
public struct StatusDevice: Hashable, Sendable {
  /// The device.
  public var id: DeviceID
  /// Whether it is revoked: it can show danger, but neither safety nor contact.
  public var isRevoked: Bool
  /// The time of its newest record; nil if none was ever received.
  public var heard: Evidence?
  /// Its relevant fixes.
  public var history: FixHistory

  /// Creates a device with its evidence.
  public init(id: DeviceID, isRevoked: Bool, heard: Evidence?, history: FixHistory) {
    self.id = id
    self.isRevoked = isRevoked
    self.heard = heard
    self.history = history
  }
}
