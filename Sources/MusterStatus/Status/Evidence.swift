public import MusterModel

/// The observer's clocks at the moment of an assessment.
public struct StatusClock: Hashable, Sendable {
  /// Milliseconds of the boot clock, which decides.
  public let boot: Int64
  /// The wall clock: it counts only for records without a stamp.
  public let wall: Timestamp

  /// Both MUST be read at one moment.
  public init(boot: Int64, wall: Timestamp) {
    self.boot = boot
    self.wall = wall
  }
}

/// What an observer knows of when a record was made.
public enum Evidence: Hashable, Sendable {
  /// Bounds by the observer's boot clock, from stamps and echoes (decision 0035).
  case stamped(Span)
  /// A record of an older program: when it arrived, and what its author's wall clock said.
  case unstamped(arrival: Int64, reportedAt: Timestamp)

  /// When it was made, by the observer's boot clock.
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

/// A position as the status function reads it.
public struct FixEvidence: Hashable, Sendable {
  /// That of its record: greater is newer.
  public var order: RecordOrder
  /// Where.
  public var position: Coordinate
  /// Radius in decimetres; nil when unknown, which counts as 100 m.
  public var accuracyDecimetres: UInt32?
  /// When it was reported.
  public var made: Evidence

  /// A position with what is known of its time.
  public init(
    order: RecordOrder, position: Coordinate, accuracyDecimetres: UInt32?, made: Evidence
  ) {
    self.order = order
    self.position = position
    self.accuracyDecimetres = accuracyDecimetres
    self.made = made
  }

  /// A fix that may be farther off says nothing about danger.
  public static let coarsestDecimetres: UInt32 = 10_000
  /// Up to here a fix is fine: it decides of each zone.
  public static let fineDecimetres: UInt32 = 1000

  /// At most 1 km of accuracy, and not at 0,0, which receivers without a fix send.
  public var isUsable: Bool {
    (accuracyDecimetres ?? Self.fineDecimetres) <= Self.coarsestDecimetres
      && (position.latitudeE7, position.longitudeE7) != (0, 0)
  }

  /// Whether it decides of each zone: no coarser than 100 m.
  public var isFine: Bool {
    (accuracyDecimetres ?? Self.fineDecimetres) <= Self.fineDecimetres
  }

  /// Whether it is good enough to show somebody as safe.
  var showsSafety: Bool { accuracyDecimetres.map { $0 <= Self.fineDecimetres } ?? false }

  /// Radius in metres.
  var accuracyMetres: Double { Double(accuracyDecimetres ?? Self.fineDecimetres) / 10 }
}

/// The usable fixes of a device that still matter: a fine one settles every zone, so what was
/// before it is dropped. At most `limit` are kept.
public struct FixHistory: Hashable, Sendable {
  /// How many fixes are kept of one device.
  public static let limit = 16

  /// By order, the newest last.
  public private(set) var fixes: [FixEvidence] = []

  /// An empty history.
  public init() {}

  /// Takes all fixes in any order, and drops those that are not usable.
  public init(all fixes: [FixEvidence]) {
    self.fixes = fixes.filter(\.isUsable).sorted { $0.order < $1.order }
  }

  /// The newest usable fix.
  public var newest: FixEvidence? { fixes.last }

  /// Replaces what is known of when a fix was reported.
  public mutating func refine(_ order: RecordOrder, made: Evidence) {
    guard let index = fixes.lastIndex(where: { $0.order == order }) else { return }
    fixes[index].made = made
  }

  /// Adds a fix; one that is not usable or not newer than the newest changes nothing.
  ///
  /// - Parameters:
  ///   - isRevoked: the device is revoked: its fixes settle nothing.
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

/// A device of a person, or a tracker, as the status function reads it.
public struct StatusDevice: Hashable, Sendable {
  /// Which.
  public var id: DeviceID
  /// Its authority was taken away: it shows danger, never safety, and is no contact.
  public var isRevoked: Bool
  /// When its newest record was made; nil when nothing was ever received of it.
  public var heard: Evidence?
  /// Its fixes that matter.
  public var history: FixHistory

  /// A device with what was received of it.
  public init(id: DeviceID, isRevoked: Bool, heard: Evidence?, history: FixHistory) {
    self.id = id
    self.isRevoked = isRevoked
    self.heard = heard
    self.history = history
  }
}
