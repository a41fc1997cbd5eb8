import MusterModel
import MusterReplica
import MusterStore

/// One laptop of the world: the real replica on a real database, and around it what the node's
/// program, its clocks, its sockets and its disk would be.
///
/// A class, since a laptop is one thing: the replica in it is never copied.
final class SimulatedNode {
  enum Power: Hashable {
    /// Not here yet.
    case absent
    case on
    case off
    /// The lid is closed: nothing arrives, and deadlines pass unseen.
    case asleep
  }

  let index: Int
  let plan: NodePlan
  let credentials: Credentials
  let keys: Enrolment.EpochKeys?
  var endpoint: Endpoint
  var store: Store
  var replica: Replica?
  /// Of the replica, after its last command; to ask it would be to copy it.
  private(set) var life: Replica.Life?
  /// The same after its last input.
  private(set) var nextDeadline: Instant?
  var power = Power.absent
  var clock: NodeClock
  var movement: Movement
  var backup: Backup?

  /// Nil where the database is in memory and nothing ever happens to it.
  let disk: SimulatedDisk?
  /// After a power cut that was ordered; nil until the heal.
  var outageMilliseconds: Int64?
  /// Which fault of the disk an end belongs to.
  var diskFaults = 0
  /// Of the disk's counts, what was told already.
  var (refusedWrites, failedWrites): (UInt64, UInt64) = (0, 0)
  /// As a relay that passes nothing on.
  var withholdsUntil: Instant?
  /// How often it was told of a fork.
  var forksTold = 0

  /// A copy of a disk.
  enum Backup {
    case store(Store)
    case image(SimulatedDisk.Image)
  }

  /// What has arrived and was not taken yet, as in a socket's buffer.
  var inbox: [(bytes: [UInt8], from: Endpoint, link: LinkID)] = []
  var isAboutToRead = false
  /// When the next look at the deadlines is due; nil where none is.
  var alarm: Instant?
  /// Which crash or sleep an automatic end belongs to.
  var outage = 0

  /// Headers included.
  var bytesSentInStory = 0
  var datagramsSent = 0
  var rejections: [String: Int] = [:]
  var failures: [String: Int] = [:]
  /// What it was admitted with; nil for the founder and for copies.
  var enrolment: (Enrolment, request: [UInt8])?
  var lastFix: Instant?
  var fixesTaken = 0
  var fixKeptBack: Fix?
  /// The logs that this life writes, by lane.
  var ownLogs: [Lane: LogID] = [:]
  /// How far they are known to reach.
  var ownSequences: [Lane: UInt64] = [:]

  init(
    index: Int, plan: NodePlan, credentials: Credentials, keys: Enrolment.EpochKeys?,
    store: Store, disk: SimulatedDisk?, endpoint: Endpoint, movement: Movement
  ) {
    self.disk = disk
    self.index = index
    self.plan = plan
    self.credentials = credentials
    self.keys = keys
    self.store = store
    self.endpoint = endpoint
    self.movement = movement
    clock = NodeClock(
      skewMilliseconds: plan.skewMilliseconds, driftPerMillion: plan.driftPerMillion)
  }

  /// Each has one network interface.
  static let link = LinkID(index: 1)

  var name: String { plan.name }
  var isRunning: Bool { power == .on && replica != nil }
  var reads: Bool { plan.role.reads }
  /// Whether a commit failed that may have been kept all the same: its user was not answered.
  var mayHaveKeptMore: Bool { !failures.isEmpty || disk != nil }

  /// After what may have made this device write.
  func noteLife() throws { life = try change { $0.life } }

  /// Gives the replica an input, in place.
  func change<T>(_ body: (inout Replica) throws -> T) throws -> T? {
    guard replica != nil else { return nil }
    return try change(&replica!, body)
  }

  private func change<T>(
    _ replica: inout Replica, _ body: (inout Replica) throws -> T
  ) throws -> T {
    defer { nextDeadline = replica.nextDeadline }
    return try body(&replica)
  }

  /// 10.0.0.1 for the first; another address after each move.
  static func endpoint(index: Int, move: Int) -> Endpoint {
    let host = index + 1
    guard
      let endpoint = Endpoint(
        address: [10, UInt8(move % 256), UInt8(host / 256), UInt8(host % 256)], port: 7474)
    else { preconditionFailure("four bytes are an address") }
    return endpoint
  }
}
