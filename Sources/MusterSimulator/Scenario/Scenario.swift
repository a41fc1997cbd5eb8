public import MusterModel

/// Everything that a run is made of, but the seed's choices: who takes part, over what network,
/// what they do, what goes wrong when, and what is expected of it.
///
/// Read from a file of `simulations/` (its README is the schema), or drawn by the swarm.
/// Times count from the scenario's start, after the warm-up.
public struct Scenario: Hashable, Sendable {
  /// The file's name without its ending; a drawn one has its seed in it.
  public var name: String
  /// What happens, for people.
  public var story: String
  /// Of the choices, where the command line gives none.
  public var seed: UInt64
  /// On a faultless network, so that everybody knows everybody when the story begins.
  public var warmUpMilliseconds: Int64
  /// The phase in which things go wrong.
  public var durationMilliseconds: Int64
  /// The most that all may need after the heal until they agree.
  public var settleMilliseconds: Int64
  /// The first founds the operation; names are unique.
  public var nodes: [NodePlan]
  /// What is between them.
  public var network: NetworkPlan
  /// Exceptions to `network`, by pair.
  public var links: [LinkPlan]
  /// What people do.
  public var workload: WorkloadPlan
  /// By time.
  public var timeline: [TimelineEntry]
  /// What has to come out.
  public var expectations: Expectations
  /// Whether a fault that is configured and never happens is a failure; a drawn one may not.
  public var everyFaultFires: Bool

  /// Nodes on a good network who do nothing, for one simulated minute.
  public init(name: String, nodes: [NodePlan]) {
    self.name = name
    self.nodes = nodes
    story = ""
    seed = 1
    warmUpMilliseconds = 30_000
    durationMilliseconds = 60_000
    settleMilliseconds = 60_000
    network = NetworkPlan()
    links = []
    workload = WorkloadPlan()
    timeline = []
    expectations = Expectations()
    everyFaultFires = true
  }
}

/// One laptop.
public struct NodePlan: Hashable, Sendable {
  /// Also its user's callsign.
  public var name: String
  /// What its certificate grants.
  public var role: Role
  /// Metres north and east of the terrain's middle.
  public var place: GroundPoint
  /// Around `place`.
  public var movement: MovementPlan
  /// When it is switched on for the first time.
  public var joinsAtMilliseconds: Int64
  /// How wrong its wall clock is.
  public var skewMilliseconds: Int64
  /// How many parts in a million its clocks run too fast; negative for too slow.
  public var driftPerMillion: Int64
  /// Addresses that it is started with, as by `--peer`.
  public var peers: [String]
  /// Whose laptop it is an exact copy of, disk and keys, as of the moment at which it is switched
  /// on; nil for a laptop of its own.
  public var cloneOf: String?
  /// The commander who admitted it and was destroyed before anybody else heard of that: whoever is
  /// named here is never switched on. Nil where the founder did.
  public var admittedBy: String?

  /// One that stands still in the middle and has the right time.
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

  /// Somewhere on the ground.
  public init(north: Double, east: Double) {
    self.north = north
    self.east = east
  }

  func distance(to other: GroundPoint) -> Double {
    let (north, east) = (north - other.north, east - other.east)
    return (north * north + east * east).squareRoot()
  }
}

/// How somebody moves.
public enum MovementPlan: Hashable, Sendable {
  case still
  /// From one random point of a square around the node's place to the next, with rests.
  case walk(acrossMetres: Int64, millimetresPerSecond: Int64)
  /// Along a recorded track, by time.
  case track([Waypoint])
}

/// A point of a recorded track.
public struct Waypoint: Hashable, Sendable {
  /// Since the world's beginning.
  public var atMilliseconds: Int64
  /// Where it is then.
  public var point: GroundPoint

  /// There at that time.
  public init(atMilliseconds: Int64, point: GroundPoint) {
    self.atMilliseconds = atMilliseconds
    self.point = point
  }
}

/// What the medium does to everybody's datagrams.
public struct NetworkPlan: Hashable, Sendable {
  /// Of every link that has none of its own.
  public var conditions = LinkConditions()
  /// Whether announces reach all within range; where not, addresses have to be known.
  public var multicast = true
  /// Nobody hears further; nil where distance does not matter.
  public var rangeMetres: Int64?
  /// How much fits through.
  public var medium = Medium.free
  /// What every node is told that its link may carry; nil where it is told nothing.
  public var linkRate: LinkRate?

  /// Everybody hears everybody.
  public init() {}
}

/// How many bits fit through.
public enum Medium: Hashable, Sendable {
  case free
  /// One at a time: what one sends, the others wait for.
  case shared(bitsPerSecond: Int64)
  /// Each sender has so much.
  case perSender(bitsPerSecond: Int64)
}

/// What may happen to a datagram on its way, in parts of a million.
public struct LinkConditions: Hashable, Sendable {
  /// Never arrive.
  public var lossPerMillion: Int64 = 0
  /// Arrive twice.
  public var duplicatePerMillion: Int64 = 0
  /// Arrive damaged.
  public var corruptPerMillion: Int64 = 0
  /// So many take up to ten times as long.
  public var reorderPerMillion: Int64 = 0
  /// From sent to arrived.
  public var delayMilliseconds: ClosedRange<Int64> = 1...5
  /// With IP and UDP headers; what is larger is lost.
  public var mtuBytes = 1500

  /// A good network.
  public init() {}
}

/// One pair's own conditions.
public struct LinkPlan: Hashable, Sendable {
  /// A node's name.
  public var from: String
  /// Another's.
  public var to: String
  /// Whether they hold from `from` to `to` only.
  public var oneWay: Bool
  /// Instead of the network's.
  public var conditions: LinkConditions

  /// Between the two.
  public init(from: String, to: String, oneWay: Bool, conditions: LinkConditions) {
    self.from = from
    self.to = to
    self.oneWay = oneWay
    self.conditions = conditions
  }
}

/// What people do, by the mean time between two such acts anywhere in the operation.
public struct WorkloadPlan: Hashable, Sendable {
  /// A fix this often from each that moves; nil for none.
  public var positionsEveryMilliseconds: Int64?
  /// Nil, or absent, for never.
  public var everyMilliseconds: [WorkKind: Int64] = [:]
  /// Fences that the founder draws before the story begins.
  public var fences = 0

  /// Nobody does anything.
  public init() {}
}

/// What somebody may do.
public enum WorkKind: String, Hashable, Sendable, CaseIterable {
  case reports
  case hazards
  case edits
  case comments
  case confirmations
  case deletes
  case safety
  case fences
  /// Command asks something of people.
  case directives
  /// Somebody acknowledges, or command for them.
  case answers
  /// Command's word on somebody.
  case overrides
  /// A phone tells a laptop where it is; fences get dwell times.
  case trackers
  /// What command wants of laptops.
  case profiles
  /// A piece of somebody's track is published, where command wants it.
  case sharing
  /// A laptop looks for alerts.
  case looks

  /// Those that came later: drawn apart, so that older seeds mean what they did.
  static let directing: [WorkKind] = [.directives, .answers, .overrides]
  static let watching: [WorkKind] = [.trackers, .profiles, .sharing, .looks]
}

/// What has to come out, beside the promises that hold in every run; nil where nothing is said.
public struct Expectations: Hashable, Sendable {
  /// After the heal, until all agree.
  public var convergesWithinMilliseconds: Int64?
  /// Sent by a node on average over the story, headers included.
  public var bytesPerSecond: Int64?
  /// From acknowledged to shown on every node that is on and may read.
  public var reportsWithinMilliseconds: Int64?
  /// The same of hazards.
  public var hazardsWithinMilliseconds: Int64?
  /// How old the newest position of one who moves may be anywhere.
  public var positionsBehindMilliseconds: Int64?

  /// Nothing in particular.
  public init() {}
}

/// Something that happens at a time.
public struct TimelineEntry: Hashable, Sendable {
  /// Since the story's beginning.
  public var atMilliseconds: Int64
  /// What happens then.
  public var event: TimelineEvent

  /// At that time of the story.
  public init(atMilliseconds: Int64, event: TimelineEvent) {
    self.atMilliseconds = atMilliseconds
    self.event = event
  }
}

/// What can be made to happen.
public enum TimelineEvent: Hashable, Sendable {
  /// From now on only those of one group hear one another; who is in no group hears nobody.
  case cut([[String]])
  /// Ends cuts and blocks.
  case heal
  /// `from` is not heard by `to` any more.
  case block(from: String, to: String)
  /// Cut and healed in turn, each for so long.
  case flap([[String]], everyMilliseconds: Int64, untilMilliseconds: Int64)
  /// The power fails; it is back after so long, or at the heal.
  case crash(String, forMilliseconds: Int64?)
  case sleep(String, forMilliseconds: Int64?)
  /// The wall clock is set.
  case jump(String, byMilliseconds: Int64)
  /// The next datagrams come from another address.
  case readdress(String)
  /// The disk is kept, to be restored later.
  case backup(String)
  /// The disk as it was at the backup, as somebody finds out who looks at the sentinel.
  case restore(String)
  /// So many reports by each of the named, at once.
  ///
  /// So many `together` go into one transaction, as when a file is read in.
  case burst([String], reports: Int, hazards: Bool, together: Int)
  /// Everybody's loss from now on.
  case weather(lossPerMillion: Int64)
  /// An outsider sends what was recorded, so many datagrams a second.
  case replay(perSecond: Int64, untilMilliseconds: Int64)
  /// A member signs what they are not entitled to, this often.
  case insider(String, everyMilliseconds: Int64, untilMilliseconds: Int64)
  /// A member forges what others are said to have signed, this often.
  case forger(String, everyMilliseconds: Int64, untilMilliseconds: Int64)
  /// An outsider sends noise.
  case garbage(perSecond: Int64, untilMilliseconds: Int64)
  /// The power fails in the n-th write or sync of its disk from now; back after so long, or at the
  /// heal. What was not synced is damaged in one of three ways.
  case powerCut(String, inChange: Int64, forMilliseconds: Int64?)
  /// Its disk has no room for more.
  case diskFull(String, forMilliseconds: Int64)
  /// Its disk can be read, and neither written nor synced.
  case diskFails(String, forMilliseconds: Int64)
  /// It takes everything and passes nothing on: of what it sends only what is too small to carry a
  /// write leaves.
  case withhold(String, untilMilliseconds: Int64)
  /// A member sends everybody frames with bad signatures, so many a second.
  case flood(String, perSecond: Int64, untilMilliseconds: Int64)
  /// A member signs two frames for one place of its log, and sends both.
  case equivocate(String)
  /// A member opens logs, makes up epochs and phones without end, this often; the founder
  /// rotates the epoch meanwhile and revokes it at the heal.
  case overfill(String, everyMilliseconds: Int64, untilMilliseconds: Int64)
  /// A device is put out: what its revoker does not hold of it counts for nobody.
  case revoke(String, by: String)
}
