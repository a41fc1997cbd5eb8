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

  /// The evidence of a fix in a record that was made at this time.
  public func fix(of age: FixAge) -> Evidence {
    guard age != .none else { return self }
    let least = age.leastMilliseconds
    switch (self, age.atReceipt.doubtMilliseconds) {
    case (.stamped(let span), let doubt?) where span.hasEarliest:
      return .stamped(
        Span(
          earliest: max(span.earliest - least - doubt, Span.longAgo),
          latest: max(span.latest - least, Span.longAgo)))
    case (.stamped(let span), _):
      return .stamped(.notAfter(max(span.latest - least, Span.longAgo)))
    case (.unstamped(let arrival, _), _):
      return .stamped(.notAfter(max(arrival - least, Span.longAgo)))
    }
  }

  /// The evidence of what was made earlier, at a time that is not known.
  public var earlier: Evidence {
    switch self {
    case .stamped(let span): .stamped(Span(earliest: Span.longAgo, latest: span.latest))
    case .unstamped(let arrival, _): .stamped(Span(earliest: Span.longAgo, latest: arrival))
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
  public let order: RecordOrder
  /// The position.
  public let position: Coordinate
  /// Accuracy radius in decimetres; nil if unknown, which counts as 100 m.
  public let accuracyDecimetres: UInt32?
  /// The time of the fix.
  public let made: Evidence
  /// The age that its record states.
  public let age: FixAge

  /// Creates a position with the evidence of its time.
  public init(
    order: RecordOrder, position: Coordinate, accuracyDecimetres: UInt32?, made: Evidence,
    age: FixAge = .none
  ) {
    self.age = age
    self.order = order
    self.position = position
    self.accuracyDecimetres = accuracyDecimetres
    self.made = made
  }

  /// Creates a fix that a later position of its device carries.
  ///
  /// - Parameter later: the time of that position.
  public init(_ earlier: EarlierFix, before later: Evidence) {
    self.init(
      order: earlier.order, position: earlier.position,
      accuracyDecimetres: earlier.accuracyDecimetres, made: later.earlier,
      age: earlier.wasOld ? FixAge(.unknown) : .none)
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

  /// Whether it decides for each zone, so that no earlier fix matters: fine, and not old at its
  /// receipt.
  var isDecisive: Bool { isFine && !age.wasOld }

  /// Whether it is certainly older than a duration; always if its time is unknown. A fix that its
  /// record states to be of the moment is as old as the contact, and never older.
  func isOlder(than milliseconds: Int64, at clock: StatusClock) -> Bool {
    guard age != .none else { return false }
    return age.isUnknown || clock.boot - made.moment(at: clock).latest > milliseconds
  }

  /// The time at which it becomes older than a duration; nil if time alone does not change that.
  func ageing(past milliseconds: Int64, at clock: StatusClock) -> Int64? {
    guard age != .none, !age.isUnknown else { return nil }
    return made.moment(at: clock).latest + milliseconds + 1
  }

  /// Whether it is accurate enough to show a person as safe.
  var showsSafety: Bool { accuracyDecimetres.map { $0 <= Self.fineDecimetres } ?? false }

  /// Radius in metres.
  var accuracyMetres: Double { Double(accuracyDecimetres ?? Self.fineDecimetres) / 10 }
}

/// A device of a person, or a tracker, as input of the status function.
public struct StatusDevice: Hashable, Sendable {
  /// The device.
  public var id: DeviceID
  /// Whether it is revoked: it can show danger, but neither safety nor contact.
  public var isRevoked: Bool
  /// The time of its newest record; nil if none was ever received.
  public var received: Evidence?
  /// Its relevant fixes.
  public var history: FixHistory
  /// What its newest position shows about its movement; nil without a position.
  public var movement: MovementEvidence?

  /// Creates a device with its evidence.
  public init(
    id: DeviceID, isRevoked: Bool, received: Evidence?, history: FixHistory,
    movement: MovementEvidence? = nil
  ) {
    self.id = id
    self.isRevoked = isRevoked
    self.received = received
    self.history = history
    self.movement = movement
  }
}
