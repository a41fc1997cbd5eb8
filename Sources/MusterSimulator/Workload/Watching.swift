import MusterModel
import MusterReplica

/// What came with trackers, settings and alerts, by dice of its own so that older seeds mean what
/// they did: phones that a laptop speaks for, what command wants of laptops, pieces of tracks that
/// are published, looks at alerts, and fences with a dwell time.
struct Watching {
  private var random: RandomStream
  /// When the newest fix of each phone was sampled, by the node that speaks for it.
  private var lateFixes: [Int: Fix] = [:]
  private static let phonesPerNode: Int64 = 3
  /// One fix of so many comes long after it was taken.
  private static let fixesPerLateOne: Int64 = 5

  init(seed: UInt64) { random = RandomStream(seed: seed, named: "watching") }

  /// When the next act of a kind follows one at `now`: after its mean time on average.
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

  /// Seconds inside before it is an ENTER, of a fence that is drawn.
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
    // This one is kept back, and the one that was before comes now.
    let late = lateFixes.updateValue(fix, forKey: node.index)
    return .track(phone, late ?? fix)
  }
}
