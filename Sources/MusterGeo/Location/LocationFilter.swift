public import MusterModel

/// Selects which of a receiver's many fixes are kept and published.
///
/// ```
///           still for `stillMilliseconds`
/// precise ───────────────────────────────▶ coarse
///    ▲      out of the region, or located     │
///    └────────────────────────────────────────┘
/// ```
///
/// A fix is **accepted** if the last accepted one is old, **or** its accuracy is much better,
/// **or** it is very far away, **or** it is some distance away and no less accurate. Accepted fixes
/// are kept in the device's own track, and published at most once per sending interval of the
/// profile, or at once if very far away.
///
/// In *coarse* mode, after a time without movement, only a fix outside the region of `regionMetres`
/// around the last position counts, and an occasional sign of life. It does not affect fences: the
/// detector gets every fix.
public struct LocationFilter: Sendable {
  /// The sampling mode.
  public enum Mode: String, Sendable, Hashable {
    case precise
    case coarse
  }

  /// What to do with a fix. Each case includes all before it.
  public enum Handling: Int, Sendable, Hashable, Comparable {
    /// Evaluated for fence events only.
    case watched
    /// Kept in the device's own track.
    case kept
    /// Published to all devices.
    case published

    /// Compares the amount of handling.
    public static func < (left: Handling, right: Handling) -> Bool {
      left.rawValue < right.rawValue
    }
  }

  /// After this long any fix is kept.
  static let significantMilliseconds: Int64 = 30_000
  /// The radius around the last position in coarse mode.
  static let regionMetres = 100.0
  /// Movement below the profile's distance for this long counts as still.
  static let stillMilliseconds: Int64 = 120_000
  /// How long a `locate` keeps the precise mode.
  static let locatedMilliseconds: Int64 = 120_000
  /// The maximum interval of signs of life while still: this, or half of the silence threshold.
  static let longestQuietMilliseconds: Int64 = 300_000

  /// The current sampling settings.
  public var profile: LocationProfile
  /// The silence threshold: without a fix for this long, the subject is unknown to others.
  public var silenceMilliseconds: Int64
  /// The current sampling mode.
  public private(set) var mode = Mode.precise
  /// When the accepted but unpublished fix is due.
  public private(set) var nextDeadline: Instant?

  private var lastRead: Timestamp?
  private var lastAccepted: Fix?
  private var lastPublished: Instant?
  private var pending: Fix?
  /// The position after the last movement, with its time.
  private var anchor: Fix?
  private var locatedUntil: Instant?
  private var isWanted = false

  /// Creates a filter without any fix.
  public init(profile: LocationProfile, silenceMilliseconds: Int64) {
    self.profile = profile
    self.silenceMilliseconds = silenceMilliseconds
    if profile.mode == .coarse { mode = .coarse }
  }

  /// Handles a fix that is newer than all before, unless its source's clock was set back.
  public mutating func take(_ fix: Fix, stepsBack: Bool, now: Instant) -> Handling {
    if stepsBack { (lastRead, lastAccepted, anchor) = (nil, nil, nil) }
    let wasCoarse = mode == .coarse
    updateMode(fix, now: now)
    let hasWoken = wasCoarse && mode == .precise
    guard let accepted = lastAccepted, !isWanted, !hasWoken else {
      return accept(fix, isUrgent: true, now: now)
    }
    if mode == .coarse {
      let quiet = min(Self.longestQuietMilliseconds, silenceMilliseconds / 2)
      guard fix.sampleTime.milliseconds(since: accepted.sampleTime) >= quiet else {
        return .watched
      }
      return accept(fix, isUrgent: true, now: now)
    }
    let distance = Geodesic.distanceMetres(from: accepted.position, to: fix.position)
    let isDramatic = distance >= max(Self.regionMetres, 3 * Double(profile.distanceMetres))
    if !isDramatic, let lastRead,
      fix.sampleTime.milliseconds(since: lastRead) < Int64(profile.readingSeconds) * 1000
    {
      return .watched
    }
    lastRead = fix.sampleTime
    let elapsed = fix.sampleTime.milliseconds(since: accepted.sampleTime)
    guard
      isDramatic || elapsed >= Self.significantMilliseconds || isMuchBetter(fix, than: accepted)
        || (distance >= Double(profile.distanceMetres) && isNoWorse(fix, than: accepted))
    else { return .watched }
    return accept(fix, isUrgent: isDramatic, now: now)
  }

  /// Returns the fix to publish if it is due; nil otherwise.
  public mutating func passDeadline(now: Instant) -> Fix? {
    guard let nextDeadline, now >= nextDeadline, let fix = pending else { return nil }
    (self.nextDeadline, pending, lastPublished) = (nil, nil, now)
    return fix
  }

  /// Handles a locate request: uses the precise mode for a while, and publishes the next fix at
  /// once.
  public mutating func locate(now: Instant) {
    isWanted = true
    mode = .precise
    locatedUntil = now.advanced(byMilliseconds: Self.locatedMilliseconds)
  }

  private mutating func accept(_ fix: Fix, isUrgent: Bool, now: Instant) -> Handling {
    (lastRead, lastAccepted) = (fix.sampleTime, fix)
    let interval = Int64(profile.sendingSeconds) * 1000
    let due = lastPublished?.advanced(byMilliseconds: interval) ?? now
    guard isUrgent || now >= due else {
      (pending, nextDeadline) = (fix, due)
      return .kept
    }
    (pending, nextDeadline, lastPublished, isWanted) = (nil, nil, now, false)
    return .published
  }

  // MARK: Modes

  private mutating func updateMode(_ fix: Fix, now: Instant) {
    if let locatedUntil, now < locatedUntil {
      mode = .precise
      return
    }
    locatedUntil = nil
    guard profile.mode == .automatic else {
      mode = profile.mode == .coarse ? .coarse : .precise
      return
    }
    guard let anchor else {
      self.anchor = fix
      mode = .precise
      return
    }
    let doubt = Double(fix.accuracyDecimetres ?? 0) / 10
    let distance = Geodesic.distanceMetres(from: anchor.position, to: fix.position)
    let allowed = mode == .coarse ? Self.regionMetres : Double(profile.distanceMetres)
    if distance > allowed + doubt {
      self.anchor = fix
      mode = .precise
    } else if fix.sampleTime.milliseconds(since: anchor.sampleTime) >= Self.stillMilliseconds {
      mode = .coarse
    }
  }

  // MARK: Accuracy

  /// Returns whether a fix improves on one that was less accurate than the profile wants: half the
  /// radius, or as accurate as wanted. Any radius is better than none.
  private func isMuchBetter(_ fix: Fix, than other: Fix) -> Bool {
    guard let new = fix.accuracyDecimetres else { return false }
    guard let old = other.accuracyDecimetres else { return true }
    let wanted = UInt32(profile.accuracyMetres) * 10
    return old > wanted && (new <= wanted || new <= old / 2)
  }

  /// Returns whether a fix is no less accurate. All radii within the profile's are equally good.
  private func isNoWorse(_ fix: Fix, than other: Fix) -> Bool {
    guard let new = fix.accuracyDecimetres else { return other.accuracyDecimetres == nil }
    guard let old = other.accuracyDecimetres else { return true }
    return new <= max(old, UInt32(profile.accuracyMetres) * 10)
  }
}
