public import MusterModel

/// Which fixes of a subject are worth keeping and telling, of the many that a receiver makes.
///
/// ```
///             still for `stillMilliseconds`
///   precise ───────────────────────────────▶ coarse
///      ▲      out of the region, or located     │
///      └─────────────────────────────────────────┘
/// ```
///
/// A fix is **accepted** when the last accepted one is long ago, **or** its accuracy is much
/// better, **or** it is dramatically far from that, **or** it is a good way off and no less
/// accurate. What is accepted is kept in the own track, and published at most once in the
/// profile's sending time, but at once where it is dramatically far.
///
/// In *coarse* mode, once still, only a fix from outside the region of `regionMetres` around the
/// last place counts, and a sign of life now and then. It says nothing about fences: they are shown
/// every fix.
public struct LocationFilter: Sendable {
  /// How closely it looks at present.
  public enum Mode: String, Sendable, Hashable {
    case precise
    case coarse
  }

  /// What to do with a fix, each with all that comes before it.
  public enum Handling: Int, Sendable, Hashable, Comparable {
    /// It may show a crossing, and nothing else.
    case watched
    /// It belongs to the own track.
    case kept
    /// Everybody is told.
    case published

    /// By how much is done.
    public static func < (left: Handling, right: Handling) -> Bool {
      left.rawValue < right.rawValue
    }
  }

  /// After so long any fix is worth keeping.
  static let significantMilliseconds: Int64 = 30_000
  /// Around the last place, once still.
  static let regionMetres = 100.0
  /// No farther than the profile's distance for so long: still.
  static let stillMilliseconds: Int64 = 120_000
  /// How long a `locate` keeps it precise.
  static let locatedMilliseconds: Int64 = 120_000
  /// While still, a sign of life so often, or twice in the time after which silence is told.
  static let longestQuietMilliseconds: Int64 = 300_000

  /// What command wants of this laptop now.
  public var profile: LocationProfile
  /// After how long without a fix the others know nothing of this subject.
  public var silenceMilliseconds: Int64
  /// How closely it looks.
  public private(set) var mode = Mode.precise
  /// When what was accepted and not published yet is to be.
  public private(set) var nextDeadline: Instant?

  private var lastRead: Timestamp?
  private var lastAccepted: Fix?
  private var lastPublished: Instant?
  private var pending: Fix?
  /// Where the subject was when it last moved, and since when it has not.
  private var anchor: Fix?
  private var locatedUntil: Instant?
  private var isWanted = false

  /// Nothing seen yet.
  public init(profile: LocationProfile, silenceMilliseconds: Int64) {
    self.profile = profile
    self.silenceMilliseconds = silenceMilliseconds
    if profile.mode == .coarse { mode = .coarse }
  }

  /// Takes a fix that is newer than all before, unless its source's clock was set back.
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

  /// What is to be published now that its time has come; nil where nothing waits.
  public mutating func passDeadline(now: Instant) -> Fix? {
    guard let nextDeadline, now >= nextDeadline, let fix = pending else { return nil }
    (self.nextDeadline, pending, lastPublished) = (nil, nil, now)
    return fix
  }

  /// Command wants to know where the subject is: looks closely for a while, and publishes the next
  /// fix at once.
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

  /// Where it was not as good as the profile wants: half the radius, or as good as wanted. Any
  /// radius is better than none.
  private func isMuchBetter(_ fix: Fix, than other: Fix) -> Bool {
    guard let new = fix.accuracyDecimetres else { return false }
    guard let old = other.accuracyDecimetres else { return true }
    let wanted = UInt32(profile.accuracyMetres) * 10
    return old > wanted && (new <= wanted || new <= old / 2)
  }

  /// All that is as good as the profile wants is equally good.
  private func isNoWorse(_ fix: Fix, than other: Fix) -> Bool {
    guard let new = fix.accuracyDecimetres else { return other.accuracyDecimetres == nil }
    guard let old = other.accuracyDecimetres else { return true }
    return new <= max(old, UInt32(profile.accuracyMetres) * 10)
  }
}
