public import MusterModel

/// The statuses of all people, as one node sees them.
///
/// A change of one person reassesses only that person; a change of an order or a permit reassesses
/// the people that it is for; a change of the zones reassesses all people; the passing of time
/// reassesses those whose status may have changed: the next moments wait in a priority queue.
/// Nothing here is replicated or enters the state hash.
public struct StatusPicture: Sendable {
  private var scene: StatusScene
  private var people: [UserID: Entry] = [:]
  private var stale: Set<UserID> = []
  /// The times at which time alone may change an assessed status.
  private var deadlines = DeadlineQueue<UserID>()
  /// Wall clock minus boot clock, by which all people are assessed: records without a stamp depend
  /// on it. The two clocks tick at different moments, so it differs by a millisecond between two
  /// readings; an assessment must not depend on which person was assessed when.
  private var wallOffset: Int64?

  private struct Entry: Sendable {
    var evidence: PersonEvidence
    var assessment: StatusAssessment?
  }

  /// A change of a person's status between two refreshes.
  public struct Change: Hashable, Sendable {
    /// The person.
    public var user: UserID
    /// Nil for a person who is new.
    public var before: StatusAssessment?
    /// The new assessment.
    public var after: StatusAssessment
  }

  /// Creates a picture without people.
  public init(scene: StatusScene) { self.scene = scene }

  /// All people, by id.
  public var users: [UserID] { people.keys.sorted() }

  /// Returns the evidence about a person.
  public func evidence(of user: UserID) -> PersonEvidence? { people[user]?.evidence }

  /// Returns the assessment of the last refresh; nil for an unknown person, or after a change.
  public func assessment(of user: UserID) -> StatusAssessment? {
    stale.contains(user) ? nil : people[user]?.assessment
  }

  /// Replaces zones, orders and permits.
  public mutating func update(_ scene: StatusScene) {
    self.scene = scene
    stale = Set(people.keys)
  }

  /// Replaces orders and permits, and reassesses the people that a changed one is for.
  public mutating func update(orders: [OrderEvidence], permits: [PermitEvidence]) {
    let next = scene.replacing(orders: orders, permits: permits)
    let changedOrders = Set(scene.orders).symmetricDifference(next.orders)
    let changedPermits = Set(scene.permits).symmetricDifference(permits)
    guard !changedOrders.isEmpty || !changedPermits.isEmpty else { return }
    scene = next
    for (user, entry) in people where !stale.contains(user) {
      let person = entry.evidence.identity
      if changedOrders.contains(where: { $0.audience.includes(person) })
        || changedPermits.contains(where: { $0.includes(person) })
      {
        stale.insert(user)
      }
    }
  }

  /// Adds a person, or replaces the evidence about them.
  public mutating func update(_ person: PersonEvidence) {
    let user = person.identity.id
    if people[user]?.evidence == person { return }
    people[user, default: Entry(evidence: person)].evidence = person
    stale.insert(user)
  }

  /// Adds a fix of a known person's device, and records the contact.
  public mutating func record(_ fix: FixEvidence, of device: DeviceID, of user: UserID) {
    guard var person = people[user]?.evidence else { return }
    let index =
      person.devices.firstIndex { $0.id == device }
      ?? {
        person.devices.append(
          StatusDevice(id: device, isRevoked: false, received: nil, history: FixHistory()))
        return person.devices.count - 1
      }()
    person.devices[index].received = fix.made
    person.devices[index].history.record(
      [fix], isRevoked: person.devices[index].isRevoked, in: scene)
    person.wasReceived = true
    update(person)
  }

  /// Removes all people except `users`.
  public mutating func keep(only users: Set<UserID>) {
    for user in people.keys where !users.contains(user) {
      people[user] = nil
      stale.remove(user)
    }
  }

  /// The next time at which `refresh` may change an assessment without any other change, or an
  /// earlier one. Costs O(1).
  public var nextChange: Int64? { deadlines.first }

  /// Reassesses the people who may have changed, and returns the changes, by id.
  public mutating func refresh(at clock: StatusClock) -> [Change] {
    let clock = steady(clock)
    while let (moment, user) = deadlines.popDue(at: clock.boot) {
      if people[user]?.assessment?.nextChange == moment { stale.insert(user) }
    }
    var changes: [Change] = []
    for user in stale.sorted() {
      guard let entry = people[user] else { continue }
      let assessment = StatusAssessment(of: entry.evidence, in: scene, at: clock)
      people[user]?.assessment = assessment
      if assessment != entry.assessment {
        changes.append(Change(user: user, before: entry.assessment, after: assessment))
      }
      guard let next = assessment.nextChange, next != entry.assessment?.nextChange else {
        continue
      }
      deadlines.insert(user, at: next)
    }
    stale.removeAll()
    if deadlines.count > 4 * people.count + 64 { forgetOldDeadlines() }
    return changes
  }

  /// Returns the clocks with the kept difference, or takes over theirs and reassesses all people.
  private mutating func steady(_ clock: StatusClock) -> StatusClock {
    let offset = clock.wall.milliseconds &- clock.boot
    guard let kept = wallOffset, (offset &- kept).magnitude <= 1000 else {
      stale = Set(people.keys)
      wallOffset = offset
      return clock
    }
    return StatusClock(boot: clock.boot, wall: Timestamp(milliseconds: clock.boot &+ kept))
  }

  /// A person whose next change has moved leaves the earlier deadline in the queue.
  private mutating func forgetOldDeadlines() {
    deadlines = DeadlineQueue()
    for (user, entry) in people {
      if let next = entry.assessment?.nextChange { deadlines.insert(user, at: next) }
    }
  }
}
