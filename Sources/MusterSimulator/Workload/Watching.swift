import MusterModel
import MusterReplica

/// Actions that were added with trackers, settings and alerts, from a separate random stream so
/// that older seeds give the same runs: phones, sampling settings, published tracks, alert
/// evaluation, and fences with a dwell time.
struct Watching {
  private var random: RandomStream
  /// The newest fix of each phone, by the node that publishes for it.
  private var lateFixes: [Int: Fix] = [:]
  private static let phonesPerNode: Int64 = 3
  /// One fix of this many arrives late.
  private static let fixesPerLateOne: Int64 = 5

  init(seed: UInt64) { random = RandomStream(seed: seed, named: "watching") }

  /// Returns the time of the next action of a kind, after its mean time on average.
  mutating func next(mean: Int64, after now: Instant) -> Instant {
    Instant(microseconds: now.microseconds + random.within(1...mean * 2000))
  }

  mutating func actor(among able: [SimulatedNode]) -> SimulatedNode? { random.element(of: able) }

  mutating func act(
    _ kind: WorkKind, by node: SimulatedNode, among nodes: [SimulatedNode], now: Instant
  ) -> Act? {
    switch kind {
    case .trackers: return fix(by: node, now: now)
    case .profiles:
      let user = random.below(2) == 0 ? nil : random.element(of: nodes.filter(\.reads))
      var profile = LocationProfile.foreground
      profile.sendingSeconds = UInt16(random.within(5...60))
      profile.sharesTrack = random.below(3) > 0
      return .profile(profile, user?.credentials.user)
    case .sharing: return .share
    case .looks: return .lookForAlerts
    default: return nil
    }
  }

  /// Returns the dwell time of a new fence, in seconds.
  mutating func dwellSeconds() -> UInt32 {
    random.below(2) == 0 ? 0 : UInt32(random.within(1...90))
  }

  private mutating func fix(by node: SimulatedNode, now: Instant) -> Act {
    let place = GroundPoint(
      north: Double(random.within(-1500...1500)), east: Double(random.within(-1500...1500)))
    let fix = Fix(
      position: Terrain.coordinate(of: place),
      accuracyDecimetres: UInt32(random.within(30...150)),
      sampleTime: NodeClock.satelliteTime(at: now))
    let phone = "phone \(random.below(Self.phonesPerNode))"
    guard random.below(Self.fixesPerLateOne) == 0 else { return .track(phone, fix) }
    // This fix is delayed, and the previously delayed one arrives now.
    let late = lateFixes.updateValue(fix, forKey: node.index)
    return .track(phone, late ?? fix)
  }
}
