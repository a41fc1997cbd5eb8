import MusterAttackers
import MusterCRDT
import MusterModel
import MusterReplica
import MusterStore

/// What an insider writes under its own name, permitted by itself, to change, hide, delay or
/// discredit what others wrote; from a random stream of its own.
///
/// A class, since an act is a command of a node, whose effects come back to the world.
final class InsiderActs {
  private var random: RandomStream
  /// A stream of its own, so that older seeds give the same acts beside the floods.
  private var floods: RandomStream
  private var hasListedPastBound: Set<Int> = []
  /// How often each insider has written to rows that it floods.
  private var flooded: [Int: Int] = [:]
  /// What each insider has sent, by node and kind.
  private var sent: [Int: [Kind: Int]] = [:]
  /// The statements that each insider has acknowledged.
  private var acknowledged: [Int: Set<Dot>] = [:]
  /// The epochs that insiders made up: frames under them wait for good.
  private(set) var epochs: Set<EpochID> = []

  /// The kinds of acts.
  private enum Kind: CaseIterable {
    /// An evacuation under an epoch whose key one node alone is given.
    case ownEpoch
    /// Two positions of one order, each for some nodes.
    case twins
    /// A report of its own that others have confirmed becomes another one.
    case changedMeaning
    case ownConfirmation
    /// Trackers that call for help, with check-ins.
    case trackers
    /// The callsign of another, with an invisible character.
    case callsign

    /// The most of one insider: a node stores all of these for good.
    ///
    /// - Parameter reviewsAlerts: whether each node reviews its alerts after each change.
    func most(reviewsAlerts: Bool) -> Int {
      switch self {
      // Of each author as many keys are waited for at a time.
      case .ownEpoch: Limits.missingKeysPerAuthor / 4
      case .twins, .changedMeaning, .ownConfirmation: 40
      case .trackers: reviewsAlerts ? 10 : 60
      case .callsign: 2
      }
    }
  }

  private static let trackersAtOnce: ClosedRange<Int64> = 15...60
  private static let checkInsPerTracker = 4

  init(seed: UInt64) {
    random = RandomStream(seed: seed, named: "acts of insiders")
    floods = RandomStream(seed: seed, named: "floods of rows")
  }

  /// Performs the next act of a member; nothing for other roles, which may do more.
  func act(by node: SimulatedNode, in world: World) throws {
    guard node.plan.role == .member, node.isRunning else { return }
    try acknowledgeCalls(by: node, in: world)
    try floodRow(by: node, in: world)
    try listPastBound(by: node, in: world)
    guard node.isRunning, random.below(3) == 0, let kind = random.element(of: Kind.allCases)
    else { return }
    let left =
      kind.most(reviewsAlerts: world.reviewsAlerts)
      - sent[node.index, default: [:]][kind, default: 0]
    guard left > 0 else { return }
    var count = 1
    switch kind {
    case .ownEpoch: try sealForOne(by: node, in: world)
    case .twins: try giveTwins(by: node, in: world)
    case .changedMeaning: try changeMeaning(by: node, in: world)
    case .ownConfirmation: try confirmOwn(by: node, in: world)
    case .trackers:
      count = min(left, Int(random.within(Self.trackersAtOnce)))
      try world.command(node) {
        (
          (),
          try MaliciousMember.callByMadeUpTrackers(
            &$0, count, checkIns: Self.checkInsPerTracker, now: $1)
        )
      }
    case .callsign: try imitate(by: node, in: world)
    }
    sent[node.index, default: [:]][kind, default: 0] += count
  }

  private func others(than node: SimulatedNode, in world: World) -> [SimulatedNode] {
    world.nodes.filter {
      $0.isRunning && $0.credentials.device != node.credentials.device && !world.isRevoked($0)
    }
  }

  // MARK: What some nodes alone are given

  private func sealForOne(by node: SimulatedNode, in world: World) throws {
    let forms: [MaliciousMember.Announcing] = [.never, .excludingNothing, .buildingOnNothing]
    let reader = random.element(of: others(than: node, in: world).filter(\.reads))
    guard let announcing = random.element(of: forms), let reader else { return }
    let lane: Lane = random.below(3) == 0 ? .urgent : .state
    let done = try world.command(node) { replica, clock in
      let evacuation = MaliciousMember.evacuation(titled: "To the north ford", by: &replica)
      return try MaliciousMember.seal(
        evacuation, lane: lane, by: &replica, announcing: announcing, keepsKey: false, now: clock)
    }
    guard let key = done?.result else { return }
    epochs.insert(key.id)
    try world.command(reader) { ((), try MaliciousMember.give(key, to: &$0, now: $1)) }
  }

  private func giveTwins(by node: SimulatedNode, in world: World) throws {
    let places = [3.0, 700.0].map {
      Terrain.coordinate(of: GroundPoint(north: $0, east: Double(random.within(-500...500))))
    }
    let clock = node.clock.reading(at: world.now)
    let twins = try node.change { MaliciousMember.twins(&$0, at: places, now: clock) } ?? []
    for other in others(than: node, in: world) {
      guard let twin = random.element(of: twins) else { return }
      try world.command(other) { ((), try MaliciousMember.give([twin], to: &$0, now: $1)) }
    }
  }

  // MARK: What was confirmed and acknowledged

  private func ownReports(of node: SimulatedNode) throws -> [RowState] {
    try node.store.rows(.report).filter { $0.exists && $0.owner == node.credentials.user }
  }

  /// By the honest program: the owner of a report may change it.
  private func changeMeaning(by node: SimulatedNode, in world: World) throws {
    let confirmed = try ownReports(of: node).filter { row in
      row.values(of: .reportContentConfirmations).contains { $0.author != node.credentials.user }
    }
    guard let report = random.element(of: confirmed) else { return }
    let title = "Everyone to the north ford \(random.below(100_000))"
    let changes = ReportChanges(title: title, toEvacuate: random.below(2) == 0 ? true : nil)
    try world.perform(.edit(report.key.id, changes), at: node)
  }

  private func confirmOwn(by node: SimulatedNode, in world: World) throws {
    guard let report = random.element(of: try ownReports(of: node)) else { return }
    try world.command(node) {
      ((), try MaliciousMember.confirm(report.key.id, by: &$0, now: $1))
    }
  }

  /// Acknowledges each call for help that has arrived, in one frame of three dated 1970. Once in a
  /// while command acknowledges it too.
  private func acknowledgeCalls(by node: SimulatedNode, in world: World) throws {
    for row in try node.store.rows(.user) where row.owner != node.credentials.user {
      let calls = row.openCalls.prefix(Limits.overruledClaims)
      guard !calls.isEmpty, !acknowledged[node.index, default: []].isSuperset(of: calls) else {
        continue
      }
      acknowledged[node.index, default: []].formUnion(calls)
      let alert = AlertID(kind: .help, row: row.key.id)
      let claimed = random.below(3) == 0 ? Timestamp(milliseconds: 1) : nil
      try world.command(node) { replica, clock in
        let outcome = try MaliciousMember.acknowledge(
          alert, causedBy: Array(calls), by: &replica, claiming: claimed, now: clock)
        return ((), outcome)
      }
      guard random.below(4) == 0 else { continue }
      try world.command(world.nodes[0]) {
        ((), try $0.acknowledgeAlert("\(alert)", by: nil, now: $1))
      }
    }
  }

  // MARK: Floods of rows

  /// More than what counts of any set in one act.
  private static let writesAtOnce: ClosedRange<Int64> = 130...400
  /// Each is listed in a frame of its own.
  private static let photosAtOnce = 70
  private static let mostWrites = 4000
  /// On a medium that carries little: the frames are for all nodes.
  private static let mostWritesOnNarrowMedium = 300

  /// Writes to one row without end. Own entries that users made stay: the insider's are not among
  /// those that count then.
  private func floodRow(by node: SimulatedNode, in world: World) throws {
    guard node.isRunning, floods.below(6) == 0,
      let flood = floods.element(of: MaliciousMember.RowFlood.allCases)
    else { return }
    let left =
      (Self.isNarrow(world) ? Self.mostWritesOnNarrowMedium : Self.mostWrites)
      - flooded[node.index, default: 0]
    let drawn = Int(floods.within(Self.writesAtOnce))
    let count = min(left, flood == .photos ? Self.photosAtOnce : drawn)
    let lane = floods.element(of: [Lane.state, .urgent]) ?? .state
    guard count > 0, let row = try row(for: flood, by: node) else { return }
    flooded[node.index, default: 0] += count
    world.record.fire(.insider)
    try world.command(node) {
      ((), try MaliciousMember.flood(row, with: flood, count, lane: lane, by: &$0, now: $1))
    }
  }

  /// Lists photos past the bound of its certificate: what it lists of others' photos later is
  /// beyond it. Once, and on a medium that carries much.
  private func listPastBound(by node: SimulatedNode, in world: World) throws {
    guard node.isRunning, world.scenario.workload.everyMilliseconds[.photos] != nil,
      !hasListedPastBound.contains(node.index), !Self.isNarrow(world), floods.below(8) == 0,
      let report = try ownReports(of: node).first
    else { return }
    hasListedPastBound.insert(node.index)
    world.record.fire(.insider)
    try world.command(node) {
      ((), try MaliciousMember.listPastBound(in: report.key.id, by: &$0, now: $1))
    }
  }

  private static func isNarrow(_ world: World) -> Bool {
    world.scenario.network.medium != .free || world.scenario.network.linkRate != nil
  }

  /// Returns the row with the least id that the member may flood, so that it floods one without
  /// end. One in which its own user has made entries of the kind is not flooded.
  private func row(
    for flood: MaliciousMember.RowFlood, by node: SimulatedNode
  ) throws -> RowID? {
    let user = node.credentials.user
    guard flood != .unknownRow else { return RowID(raw: user.raw) }
    let field = flood.field
    return try node.store.rows(flood.entity).filter { row in
      guard row.exists else { return false }
      if flood.isOfOwner { return row.owner == user }
      return row.owner != user
        && row.values(of: field).filter { $0.author == user }.allSatisfy { $0.value.isOfFlood }
    }.map(\.key.id).min()
  }

  // MARK: Names

  private func imitate(by node: SimulatedNode, in world: World) throws {
    let named = others(than: node, in: world).filter(\.reads)
    guard let other = random.element(of: named) else { return }
    try world.command(node) { ((), try MaliciousMember.imitate(other.name, by: &$0, now: $1)) }
  }
}

extension RowState {
  /// The statements of a person, and of others about them, that need help.
  fileprivate var openCalls: [Dot] {
    [Field.userSafetyClaim, .userSafetyOverride, .userRelayedClaim].flatMap { values(of: $0) }
      .filter { value in
        switch value.value {
        case .claim(.needsHelp, _), .overruling(.needsHelp, _, _),
          .relayedClaim(.needsHelp, _, _, _):
          true
        default: false
        }
      }.map(\.dot)
  }
}

extension Value {
  /// Whether it is of a flood, and not what a user of the device entered.
  fileprivate var isOfFlood: Bool {
    switch self {
    case .text(let text), .reply(_, let text): text.hasPrefix(MaliciousMember.floodWord)
    case .bytes: true
    case .photo(let photo): photo.original.root == photo.thumbnail.root
    default: false
    }
  }
}
