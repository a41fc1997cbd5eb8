import MusterModel
import MusterReplica

/// The actions of users, drawn from the seed, and which of them were acknowledged.
///
/// A user edits or comments on a recent report, and is refused if it has not arrived.
struct Workload {
  let plan: WorkloadPlan
  private var random: RandomStream
  /// Kinds that were added later, so that older seeds give the same runs.
  private var directing: RandomStream
  private var watching: Watching
  private var photographing: Photographing
  private var checkingIn: CheckingIn
  /// Reports that are still in use.
  private var reports: [RowID] = []
  /// The newest deleted reports: a node that does not know of the deletion may still edit them.
  private var deleted: [RowID] = []
  private var fences: [RowID] = []
  private var directives: [RowID] = []
  private var count = 0
  private static let (talkedAbout, deletedLately) = (64, 8)

  init(_ plan: WorkloadPlan, seed: UInt64) {
    self.plan = plan
    random = RandomStream(seed: seed, named: "workload")
    directing = RandomStream(seed: seed, named: "directing")
    watching = Watching(seed: seed)
    photographing = Photographing(seed: seed)
    checkingIn = CheckingIn(seed: seed)
  }

  /// Returns the time of the next action of a kind, after its mean time on average.
  mutating func next(_ kind: WorkKind, after now: Instant) -> Instant? {
    guard let mean = plan.everyMilliseconds[kind] else { return nil }
    if WorkKind.watching.contains(kind) { return watching.next(mean: mean, after: now) }
    if kind == .photos { return photographing.next(mean: mean, after: now) }
    if WorkKind.checkingIn.contains(kind) { return checkingIn.next(mean: mean, after: now) }
    let wait =
      WorkKind.directing.contains(kind)
      ? directing.within(1...mean * 2000) : random.within(1...mean * 2000)
    return Instant(microseconds: now.microseconds + wait)
  }

  /// Returns a node that may carry out the action.
  mutating func actor(for kind: WorkKind, among nodes: [SimulatedNode]) -> SimulatedNode? {
    let able = nodes.filter { node in
      guard node.isRunning else { return false }
      switch kind {
      case .fences, .directives, .overrides, .profiles: return node.plan.role == .command
      case .safety, .looks, .checkIns, .checkInReports: return node.plan.role.isPersonal
      default: return node.plan.role == .command || node.plan.role == .member
      }
    }
    if WorkKind.watching.contains(kind) { return watching.actor(among: able) }
    if kind == .photos { return photographing.actor(among: able) }
    if WorkKind.checkingIn.contains(kind) { return checkingIn.actor(among: able) }
    return WorkKind.directing.contains(kind)
      ? directing.element(of: able) : random.element(of: able)
  }

  /// Returns the action for that replica.
  mutating func act(
    _ kind: WorkKind, by node: SimulatedNode, among nodes: [SimulatedNode], now: Instant
  ) -> Act? {
    switch kind {
    case .directives, .answers, .overrides: return direction(kind, by: node, among: nodes)
    case .trackers, .profiles, .sharing, .looks:
      return watching.act(kind, by: node, among: nodes, now: now)
    case .photos: return photographing.act(on: reports)
    case .checkIns, .checkInReports:
      return checkingIn.act(kind, by: node, among: nodes)
    case .reports: return report(hazard: false)
    case .hazards: return report(hazard: true)
    case .edits:
      let number = random.below(100_000)
      let status: ReportStatus? = random.below(4) == 0 ? .resolved : nil
      let known = !deleted.isEmpty && random.below(3) == 0 ? deleted : reports
      return random.element(of: known).map {
        .edit($0, ReportChanges(title: "Edited \(number)", status: status))
      }
    case .comments:
      count += 1
      let words = Int(random.below(20) == 0 ? random.within(100...600) : random.within(1...12))
      let text = "Note \(count)" + String(repeating: " and so on", count: words)
      return random.element(of: reports).map { .comment($0, text) }
    case .confirmations: return random.element(of: reports).map(Act.confirm)
    case .deletes: return random.element(of: reports).map(Act.delete)
    case .safety: return .claim(random.below(5) == 0 ? .needsHelp : .safe)
    case .fences: return fence()
    }
  }

  private mutating func direction(
    _ kind: WorkKind, by node: SimulatedNode, among nodes: [SimulatedNode]
  ) -> Act? {
    let other = directing.element(of: nodes.filter(\.reads))?.credentials.user
    switch kind {
    case .directives:
      if directives.count > 2, directing.below(4) == 0 { return .close(directives.removeFirst()) }
      count += 1
      let kind = directing.element(of: DirectiveKind.allCases) ?? .rollcall
      let isForOne = directing.below(3) == 0
      return .direct(
        DirectiveDraft(
          kind: kind, text: "Directive \(count)",
          addressees: isForOne ? other.map { .users([$0]) } ?? .everyone : .everyone))
    case .answers:
      count += 1
      let isForOther = node.plan.role == .command && directing.below(3) == 0
      let user = isForOther ? other : nil
      let note = "Answer \(count)"
      return directing.element(of: directives).map {
        .acknowledge($0, note: note, user: user ?? node.credentials.user)
      }
    default:
      let claim: SafetyClaim? =
        directing.below(4) == 0 ? nil : directing.below(3) == 0 ? .needsHelp : .safe
      return other.map { .override($0, claim) }
    }
  }

  mutating func report(hazard: Bool) -> Act {
    count += 1
    let words = random.below(10) == 0 ? random.within(20...200) : random.within(0...10)
    return .report(
      ReportDraft(
        title: "Report \(count)",
        details: words == 0 ? nil : String(repeating: "word ", count: Int(words)),
        severity: UInt8(random.within(1...5)), toEvacuate: hazard))
  }

  private mutating func fence() -> Act {
    switch random.below(4) {
    case 0 where fences.count > 1: return .removeFence(fences.removeFirst())
    case 1 where !fences.isEmpty:
      return .switchFence(
        fences[Int(random.below(Int64(fences.count)))], active: random.below(3) > 0)
    default: return newFence()
    }
  }

  /// Returns a circle or a polygon within a kilometre of the middle.
  mutating func newFence() -> Act {
    count += 1
    let centre = GroundPoint(
      north: Double(random.within(-1000...1000)), east: Double(random.within(-1000...1000)))
    let size = Double(random.within(50...500))
    let kind = random.element(of: [FenceKind.muster, .hazard, .info]) ?? .info
    let geometry: FenceGeometry
    if random.below(2) == 0 {
      geometry = .circle(
        center: Terrain.coordinate(of: centre), radiusCentimetres: UInt32(size * 100))
    } else {
      let corners = [(1.0, 0.0), (0.3, 0.4), (0.0, 1.0), (-0.8, 0.7), (-0.9, -0.5), (0.1, -1.0)]
      geometry = .polygons([
        FencePolygon(
          outer: Ring(
            corners.map {
              Terrain.coordinate(
                of: GroundPoint(
                  north: centre.north + $0.0 * size, east: centre.east + $0.1 * size))
            }))
      ])
    }
    let dwell = plan.everyMilliseconds[.trackers] == nil ? 0 : watching.dwellSeconds()
    return .fence(
      FenceDraft(name: "Fence \(count)", kind: kind, geometry: geometry, dwellSeconds: dwell))
  }

  /// Records a created row for later actions.
  mutating func made(_ row: RowKey) {
    if row.kind == .fence { return fences.append(row.id) }
    if row.kind == .directive { return directives.append(row.id) }
    reports.append(row.id)
    if reports.count > Self.talkedAbout { reports.removeFirst() }
  }

  mutating func removed(_ report: RowID) {
    reports.removeAll { $0 == report }
    deleted.removeAll { $0 == report }
    deleted.append(report)
    if deleted.count > Self.deletedLately { deleted.removeFirst() }
  }
}

/// One action of a user.
enum Act: Hashable {
  case report(ReportDraft)
  case edit(RowID, ReportChanges)
  case comment(RowID, String)
  case confirm(RowID)
  case delete(RowID)
  case claim(SafetyClaim)
  case fence(FenceDraft)
  case switchFence(RowID, active: Bool)
  case removeFence(RowID)
  case direct(DirectiveDraft)
  case close(RowID)
  case acknowledge(RowID, note: String, user: UserID)
  /// Nil to withdraw it.
  case override(UserID, SafetyClaim?)
  /// A phone's fix, by the phone's name.
  case track(String, Fix)
  /// Nil for all users.
  case profile(LocationProfile, UserID?)
  case share
  case lookForAlerts
  case photo(RowID, PhotoDraft)
  /// The free bytes of the disk, as its node measures them.
  case space(UInt64)
  /// Starts timers.
  case startCheckIns(CheckInDraft, CheckInSubjects)
  /// Answers, extends or stops all running timers of a user; nil for the own.
  case checkIn(CheckInReportKind, UserID?, seconds: UInt32)

  /// The people that timers are started for.
  enum CheckInSubjects: Hashable {
    /// Empty for the own user.
    case users([UserID])
    case everyone(Role)

    func people(in replica: inout Replica, now: ClockReading) throws -> [UserID] {
      switch self {
      case .users(let users): users
      case .everyone(let role):
        try replica.statuses(now: now).members(ofTeam: "", role: role)
      }
    }
  }

  /// The report that it changes; nil for a new one, and for other actions.
  var report: RowID? {
    switch self {
    case .edit(let id, _), .comment(let id, _), .confirm(let id), .delete(let id),
      .photo(let id, _):
      id
    case .report, .claim, .fence, .switchFence, .removeFence, .direct, .close, .acknowledge,
      .override, .track, .profile, .share, .lookForAlerts, .space, .startCheckIns, .checkIn:
      nil
    }
  }

  /// Carries it out. Returns the created row.
  func perform(
    on replica: inout Replica, now: ClockReading
  ) throws -> (made: RowKey?, outcome: Replica.Outcome) {
    switch self {
    case .report(let draft):
      let (id, outcome) = try replica.write(ReportRequests.add(draft), now: now)
      return (RowKey(kind: .report, id: id), outcome)
    case .fence(let draft):
      let (id, outcome) = try replica.write(FenceRequests.add(draft), now: now)
      return (RowKey(kind: .fence, id: id), outcome)
    case .edit(let id, let changes):
      return (nil, try replica.write(ReportRequests.edit(id, changes), now: now))
    case .comment(let id, let text):
      return (nil, try replica.write(ReportRequests.comment(id, text: text), now: now))
    case .confirm(let id): return (nil, try replica.write(ReportRequests.confirm(id), now: now))
    case .delete(let id): return (nil, try replica.write(ReportRequests.delete(id), now: now))
    case .claim(let claim):
      return (nil, try replica.write(PersonRequests.claim(claim, note: ""), now: now))
    case .switchFence(let id, let active):
      return (nil, try replica.write(FenceRequests.setActive(id, active), now: now))
    case .removeFence(let id): return (nil, try replica.write(FenceRequests.delete(id), now: now))
    case .direct(let draft):
      let (id, outcome) = try replica.write(OrderRequests.issue(draft), now: now)
      return (RowKey(kind: .directive, id: id), outcome)
    case .close(let id): return (nil, try replica.write(OrderRequests.close(id), now: now))
    case .acknowledge(let id, let note, let user):
      return (
        nil, try replica.write(OrderRequests.acknowledge(id, note: note, for: user), now: now)
      )
    case .override(let user, let claim?):
      return (
        nil, try replica.write(PersonRequests.overrideSafety(of: user, claim, note: ""), now: now)
      )
    case .override(let user, nil):
      return (nil, try replica.write(PersonRequests.withdrawOverride(of: user), now: now))
    case .track(let phone, let fix):
      return (nil, try replica.ingest(fix, ofTracker: phone, now: now))
    case .profile(let profile, let user):
      let outcome = try replica.write(
        SettingRequests.setLocationProfile(profile, of: user, inForeground: true), now: now)
      return (nil, outcome)
    case .share:
      let isWanted = try replica.queries.locationProfile(inForeground: true).sharesTrack
      return (nil, try replica.shareTrack(isWanted: isWanted, now: now))
    case .lookForAlerts: return (nil, try replica.reviewAlerts(now: now))
    case .photo(let id, let draft):
      return (nil, try replica.write(PhotoRequests.add(draft, to: id), now: now).outcome)
    case .space(let bytes): return (nil, try replica.noteFreeBytes(bytes, now: now))
    case .startCheckIns(let draft, let subjects):
      let people = try subjects.people(in: &replica, now: now)
      return (nil, try replica.write(CheckInRequests.start(draft, of: people), now: now).outcome)
    case .checkIn(let kind, let user, let seconds):
      let note = kind == .stop ? "drawn" : ""
      let outcome = try replica.write(
        CheckInRequests.report(kind, of: user, timer: nil, seconds: seconds, note: note), now: now)
      return (nil, outcome)
    }
  }
}
