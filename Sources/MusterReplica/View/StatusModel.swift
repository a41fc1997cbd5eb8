internal import MusterModel
internal import MusterStatus
internal import MusterStore

/// The status of each person at this node, and the fixes behind it that newer records have replaced
/// in the store.
///
/// Nothing of it is stored or replicated. After a start only the newest fix of each device is
/// known; a later coarse fix then clears no earlier danger.
struct StatusModel: Sendable {
  private var picture = StatusPicture(scene: StatusScene(zones: [], orders: [], permits: []))
  private var scene = StatusScene(zones: [], orders: [], permits: [])
  private var histories: [DeviceID: FixHistory] = [:]

  /// Replaces zones, orders and permits.
  mutating func update(_ scene: StatusScene) {
    self.scene = scene
    picture.update(scene)
  }

  /// Takes a device's newest position, and returns its relevant fixes.
  mutating func history(
    of position: DevicePosition, made: Evidence, isRevoked: Bool
  ) -> FixHistory {
    let fix = FixEvidence(
      order: position.order, position: position.report.fix.position,
      accuracyDecimetres: position.report.fix.accuracyDecimetres, made: made)
    var history = histories[position.device] ?? FixHistory()
    let scene = scene
    history.record(fix, isRevoked: isRevoked, isDanger: { !scene.hazards(at: $0).isEmpty })
    history.refine(fix.order, made: made)
    histories[position.device] = history
    return history
  }

  /// Assesses only these people.
  mutating func assess(
    _ people: [PersonEvidence], at clock: StatusClock
  ) -> [UserID: StatusAssessment] {
    picture.keep(only: Set(people.map(\.identity.id)))
    for person in people { picture.update(person) }
    _ = picture.refresh(at: clock)
    var found: [UserID: StatusAssessment] = [:]
    for user in picture.users { found[user] = picture.assessment(of: user) }
    return found
  }
}
