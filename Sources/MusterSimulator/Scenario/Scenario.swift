public import MusterModel

/// The configuration of a run, apart from the seed: participants, network, workload, faults and
/// expectations.
///
/// Read from a file of `simulations/` (its README is the schema), or drawn by the swarm. Times
/// count from the scenario's start, after the warm-up.
public struct Scenario: Hashable, Sendable {
  /// The file's name without its extension; for a drawn one it contains the seed.
  public var name: String
  /// A description for people.
  public var story: String
  /// The default seed, if the command line gives none.
  public var seed: UInt64
  /// A phase on a faultless network, so that all nodes know each other when the story begins.
  public var warmUpMilliseconds: Int64
  /// The phase with faults.
  public var durationMilliseconds: Int64
  /// The maximum time from the heal to convergence.
  public var settleMilliseconds: Int64
  /// The first node founds the operation; names are unique.
  public var nodes: [NodePlan]
  /// The network between the nodes.
  public var network: NetworkPlan
  /// What users do.
  public var workload: WorkloadPlan
  /// Events, sorted by time.
  public var timeline: [TimelineEntry]
  /// The expected results.
  public var expectations: Expectations
  /// Whether a configured fault that never occurs is a failure; not for drawn scenarios.
  public var everyFaultFires: Bool

  /// Creates idle nodes on a good network, for one simulated minute.
  public init(name: String, nodes: [NodePlan]) {
    self.name = name
    self.nodes = nodes
    story = ""
    seed = 1
    warmUpMilliseconds = 30_000
    durationMilliseconds = 60_000
    settleMilliseconds = 60_000
    network = NetworkPlan()
    workload = WorkloadPlan()
    timeline = []
    expectations = Expectations()
    everyFaultFires = true
  }
}

/// One device.
public struct NodePlan: Hashable, Sendable {
  /// The name, also its user's callsign.
  public var name: String
  /// The role in its certificate.
  public var role: Role
  /// Metres north and east of the terrain's middle.
  public var place: GroundPoint
  /// Relative to `place`.
  public var movement: MovementPlan
  /// When it is first switched on.
  public var joinsAtMilliseconds: Int64
  /// The clock skew of its wall clock.
  public var skewMilliseconds: Int64
  /// The drift of its clocks in parts per million; negative if too slow.
  public var driftPerMillion: Int64
  /// The nodes whose addresses it is started with, as with `--peer`.
  public var peers: [String]
  /// The node of which it is an exact clone, disk and keys, from the moment at which it is switched
  /// on; nil for a device of its own.
  public var cloneOf: String?
  /// The commander that admitted it and was destroyed before any other node learned of that, and is
  /// never switched on. Nil if the founder did.
  public var admittedBy: String?

  /// Creates a node without movement in the middle, with the correct time.
  public init(name: String, role: Role) {
    self.name = name
    self.role = role
    place = GroundPoint(north: 0, east: 0)
    movement = .still
    joinsAtMilliseconds = 0
    skewMilliseconds = 0
    driftPerMillion = 0
    peers = []
  }
}

/// Metres from the terrain's middle.
public struct GroundPoint: Hashable, Sendable {
  /// Negative to the south.
  public var north: Double
  /// Negative to the west.
  public var east: Double

  /// Creates a point.
  public init(north: Double, east: Double) {
    self.north = north
    self.east = east
  }

  func distance(to other: GroundPoint) -> Double {
    let (north, east) = (north - other.north, east - other.east)
    return (north * north + east * east).squareRoot()
  }
}

/// The movement of a node.
public enum MovementPlan: Hashable, Sendable {
  case still
  /// From one random point of a square around the node's place to the next, with pauses.
  case walk(acrossMetres: Int64, millimetresPerSecond: Int64)
  /// Along a recorded track, by time.
  case track([Waypoint])
}

/// A point of a recorded track.
public struct Waypoint: Hashable, Sendable {
  /// Since the start of the world.
  public var atMilliseconds: Int64
  /// The position at that time.
  public var point: GroundPoint

  /// Creates a point.
  public init(atMilliseconds: Int64, point: GroundPoint) {
    self.atMilliseconds = atMilliseconds
    self.point = point
  }
}

/// The conditions for all datagrams.
public struct NetworkPlan: Hashable, Sendable {
  /// For every link without its own conditions.
  public var conditions = LinkConditions()
  /// Whether announces reach all nodes in range; otherwise addresses must be configured.
  public var multicast = true
  /// Exceptions to `conditions`, by pair.
  public var links: [LinkPlan] = []
  /// The maximum range; nil if distance does not matter.
  public var rangeMetres: Int64?
  /// The capacity.
  public var medium = Medium.free
  /// The configured link rate of every node; nil if none.
  public var linkRate: LinkRate?

  /// Creates a network without limits.
  public init() {}
}

/// The capacity of the medium.
public enum Medium: Hashable, Sendable {
  case free
  /// One transmission at a time, shared by all.
  case shared(bitsPerSecond: Int64)
  /// A rate for each sender.
  case perSender(bitsPerSecond: Int64)
}

/// The faults of a datagram's transmission, in parts per million.
public struct LinkConditions: Hashable, Sendable {
  /// Lost.
  public var lossPerMillion: Int64 = 0
  /// Duplicated.
  public var duplicatePerMillion: Int64 = 0
  /// Corrupted.
  public var corruptPerMillion: Int64 = 0
  /// Delayed up to ten times as long.
  public var reorderPerMillion: Int64 = 0
  /// From transmission to arrival.
  public var delayMilliseconds: ClosedRange<Int64> = 1...5
  /// Including IP and UDP headers; larger datagrams are lost.
  public var mtuBytes = 1500

  /// Creates a good network.
  public init() {}
}

/// The conditions of one pair.
public struct LinkPlan: Hashable, Sendable {
  /// A node's name.
  public var from: String
  /// Another node's name.
  public var to: String
  /// Whether they apply from `from` to `to` only.
  public var oneWay: Bool
  /// In place of the network's.
  public var conditions: LinkConditions

  /// Creates the conditions of a pair.
  public init(from: String, to: String, oneWay: Bool, conditions: LinkConditions) {
    self.from = from
    self.to = to
    self.oneWay = oneWay
    self.conditions = conditions
  }
}

/// What users do, by the mean time between two actions in the whole operation.
public struct WorkloadPlan: Hashable, Sendable {
  /// The interval of fixes of each moving node; nil for none.
  public var positionsEveryMilliseconds: Int64?
  /// Absent for never.
  public var everyMilliseconds: [WorkKind: Int64] = [:]
  /// Fences that the founder draws before the story begins.
  public var fences = 0

  /// Whether nodes start timers, and therefore review their alerts by themselves.
  var hasCheckIns: Bool { everyMilliseconds[.checkIns] != nil }

  /// Creates an idle workload.
  public init() {}
}

/// An action of a user.
public enum WorkKind: String, Hashable, Sendable, CaseIterable {
  case reports
  case hazards
  case edits
  case comments
  case confirmations
  case deletes
  case safety
  case fences
  /// Command issues a directive.
  case directives
  /// A user acknowledges, or command on their behalf.
  case answers
  /// Command overrides a safety status.
  case overrides
  /// A phone reports its position to a device; fences get dwell times.
  case trackers
  /// Command changes sampling settings.
  case profiles
  /// A part of a track is published, if command requests it.
  case sharing
  /// A device evaluates alerts.
  case looks
  /// A photo is added to a report, or the free space of a disk is measured.
  case photos
  /// A timer is started, by the person or by command.
  case checkIns = "checkins"
  /// A person checks in, or extends or stops their timers, or command does for others.
  case checkInReports = "checkin_reports"

  /// Kinds that were added later: drawn separately, so that older seeds give the same runs.
  static let directing: [WorkKind] = [.directives, .answers, .overrides]
  static let watching: [WorkKind] = [.trackers, .profiles, .sharing, .looks]
  static let checkingIn: [WorkKind] = [.checkIns, .checkInReports]
  static let laterKinds = Set(directing + watching + checkingIn)
}

/// The expected results in addition to the promises of every run; nil for no expectation.
public struct Expectations: Hashable, Sendable {
  /// The time from the heal to convergence.
  public var convergesWithinMilliseconds: Int64?
  /// The average rate sent by a node over the story, including headers.
  public var bytesPerSecond: Int64?
  /// The time from the acknowledgement until every running node that may read shows it.
  public var reportsWithinMilliseconds: Int64?
  /// The same for hazards.
  public var hazardsWithinMilliseconds: Int64?
  /// The time until every connected node shows who is in danger, and no one else.
  public var dangersWithinMilliseconds: Int64?
  /// The maximum age of the newest position of a moving node, on any node.
  public var positionsBehindMilliseconds: Int64?

  /// Creates no expectations.
  public init() {}
}

/// An event at a point in time.
public struct TimelineEntry: Hashable, Sendable {
  /// Since the start of the story.
  public var atMilliseconds: Int64
  /// The event.
  public var event: TimelineEvent

  /// Creates an event at a time of the story.
  public init(atMilliseconds: Int64, event: TimelineEvent) {
    self.atMilliseconds = atMilliseconds
    self.event = event
  }
}

/// The kinds of events.
public enum TimelineEvent: Hashable, Sendable {
  /// Partitions the network: only nodes of one group are connected; a node in no group is isolated.
  case cut([[String]])
  /// Ends partitions and blocks.
  case heal
  /// Blocks datagrams from `from` to `to`.
  case block(from: String, to: String)
  /// Alternates partition and heal, each for this long.
  case flap([[String]], everyMilliseconds: Int64, untilMilliseconds: Int64)
  /// A power failure, for this long or until the heal.
  case crash(String, forMilliseconds: Int64?)
  case sleep(String, forMilliseconds: Int64?)
  /// The wall clock is set.
  case jump(String, byMilliseconds: Int64)
  /// The node's address changes.
  case readdress(String)
  /// Copies the disk, to be restored later.
  case backup(String)
  /// Restores the backup. The sentinel reveals it.
  case restore(String)
  /// Writes reports at once, by each of the named nodes.
  ///
  /// This many `together` are one transaction, as in an import.
  case burst([String], reports: Int, hazards: Bool, together: Int)
  /// Sets the loss of all links.
  case weather(lossPerMillion: Int64)
  /// An outsider replays recorded datagrams, this many per second.
  case replay(perSecond: Int64, untilMilliseconds: Int64)
  /// A member signs unauthorized operations, and permitted ones that are to mislead, this often.
  case insider(String, everyMilliseconds: Int64, untilMilliseconds: Int64)
  /// A member forges signatures of others, this often.
  case forger(String, everyMilliseconds: Int64, untilMilliseconds: Int64)
  /// An outsider sends noise.
  case garbage(perSecond: Int64, untilMilliseconds: Int64)
  /// A power failure in the n-th write or sync of its disk from now, for this long or until the
  /// heal. Unsynced data is damaged in one of three ways.
  case powerCut(String, inChange: Int64, forMilliseconds: Int64?)
  /// Its disk is full.
  case diskFull(String, forMilliseconds: Int64)
  /// Its disk can be read, but neither written nor synced.
  case diskFails(String, forMilliseconds: Int64)
  /// It receives everything and forwards nothing: datagrams large enough to carry a write are
  /// dropped.
  case withhold(String, untilMilliseconds: Int64)
  /// A member floods all others with invalid signatures, this many per second.
  case flood(String, perSecond: Int64, untilMilliseconds: Int64)
  /// A member signs two frames for one position of its log, and sends both.
  case equivocate(String)
  /// A member opens logs and makes up epochs and phones without limit, this often; the founder
  /// rotates the epoch meanwhile and revokes it at the heal.
  case overfill(String, everyMilliseconds: Int64, untilMilliseconds: Int64)
  /// A device is revoked: what its revoker does not hold of it is not accepted by any node.
  case revoke(String, by: String)
  /// The root key signs a council of these commanders.
  case council([String])
  /// A thief with a council member's laptop revokes all others by rank, and votes against all other
  /// members.
  case usurp(String)
}
