public import MusterModel

/// The statuses of everybody, as one node sees them.
///
/// A change of one person assesses that person alone; a change of the scene assesses everybody, and
/// the passing of time those whose status may have changed by then. Nothing here is replicated or
/// enters the state hash.
public struct StatusPicture: Sendable {
  private var scene: StatusScene
  private var people: [UserID: Entry] = [:]
  private var stale: Set<UserID> = []
  /// The first moment at which time alone may change a status that is assessed.
  private var nextChange: Int64?
  /// Wall clock minus boot clock at the last look: records without a stamp depend on it.
  private var wallOffset: Int64?

  private struct Entry: Sendable {
    var evidence: PersonEvidence
    var assessment: StatusAssessment?
  }

  /// A change of a person's status between two looks.
  public struct Change: Hashable, Sendable {
    /// Whose.
    public var user: UserID
    /// Nil for one who was not known.
    public var before: StatusAssessment?
    /// Nil for one who was removed.
    public var after: StatusAssessment
  }

  /// A picture without people.
  public init(scene: StatusScene) { self.scene = scene }

  /// Everybody, by id.
  public var users: [UserID] { people.keys.sorted() }

  /// What is known of a person.
  public func evidence(of user: UserID) -> PersonEvidence? { people[user]?.evidence }

  /// As of the last refresh; nil for an unknown person, and for one who has changed since.
  public func assessment(of user: UserID) -> StatusAssessment? {
    stale.contains(user) ? nil : people[user]?.assessment
  }

  /// Replaces zones, orders and permits.
  public mutating func update(_ scene: StatusScene) {
    self.scene = scene
    stale = Set(people.keys)
  }

  /// Adds a person, or replaces what is known of them.
  public mutating func update(_ person: PersonEvidence) {
    let user = person.identity.id
    if people[user]?.evidence == person { return }
    people[user, default: Entry(evidence: person)].evidence = person
    stale.insert(user)
  }

  /// Adds a fix of a known person's device, and notes that the device was heard.
  public mutating func record(_ fix: FixEvidence, of device: DeviceID, of user: UserID) {
    guard var person = people[user]?.evidence else { return }
    let index =
      person.devices.firstIndex { $0.id == device }
      ?? {
        person.devices.append(
          StatusDevice(id: device, isRevoked: false, heard: nil, history: FixHistory()))
        return person.devices.count - 1
      }()
    person.devices[index].heard = fix.made
    person.devices[index].history.record(
      fix, isRevoked: person.devices[index].isRevoked,
      isDanger: { !scene.hazards(at: $0).isEmpty })
    person.wasHeard = true
    update(person)
  }

  /// Removes those who are not among `users`.
  public mutating func keep(only users: Set<UserID>) {
    for user in people.keys where !users.contains(user) {
      people[user] = nil
      stale.remove(user)
    }
  }

  /// Assesses whoever may have changed, and returns those who did, by id.
  public mutating func refresh(at clock: StatusClock) -> [Change] {
    let offset = clock.wall.milliseconds &- clock.boot
    if let wallOffset, (offset &- wallOffset).magnitude > 1000 { stale = Set(people.keys) }
    wallOffset = offset
    let isDue = nextChange.map { clock.boot >= $0 } ?? false
    if isDue {
      for (user, entry) in people {
        if let next = entry.assessment?.nextChange, clock.boot >= next { stale.insert(user) }
      }
    }
    var changes: [Change] = []
    for user in stale.sorted() {
      guard let entry = people[user] else { continue }
      let assessment = StatusAssessment(of: entry.evidence, in: scene, at: clock)
      people[user]?.assessment = assessment
      if assessment != entry.assessment {
        changes.append(Change(user: user, before: entry.assessment, after: assessment))
      }
      if let next = assessment.nextChange { nextChange = min(nextChange ?? next, next) }
    }
    stale.removeAll()
    if isDue { nextChange = people.values.compactMap { $0.assessment?.nextChange }.min() }
    return changes
  }
}
