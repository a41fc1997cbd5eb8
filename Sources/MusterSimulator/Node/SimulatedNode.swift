import MusterModel
import MusterReplica
import MusterStore

/// One device of the world: the real replica on a real database, with simulated program, clocks,
/// sockets and disk.
///
/// A class, so that the replica in it is never copied.
final class SimulatedNode {
  enum Power: Hashable {
    /// Not started yet.
    case absent
    case on
    case off
    /// Suspended: nothing arrives, and deadlines pass unnoticed.
    case asleep
  }

  let index: Int
  let plan: NodePlan
  let credentials: Credentials
  let keys: Enrolment.EpochKeys?
  var endpoint: Endpoint
  var store: Store
  var replica: Replica?
  /// The replica's incarnation after its last command. Cached, since a query would copy the
  /// replica.
  private(set) var life: Replica.Life?
  /// The replica's next deadline after its last input.
  private(set) var nextDeadline: Instant?
  var power = Power.absent
  var clock: NodeClock
  var movement: Movement
  var backup: Backup?

  /// Nil if the database is in memory and no disk fault is simulated.
  let disk: SimulatedDisk?
  /// After a scheduled power cut; nil until the heal.
  var outageMilliseconds: Int64?
  /// Identifies the disk fault that an end event belongs to.
  var diskFaults = 0
  /// The disk counts that were reported already.
  var (refusedWrites, failedWrites): (UInt64, UInt64) = (0, 0)
  /// Until then it is a relay that forwards nothing.
  var withholdsUntil: Instant?
  /// How often it was notified of a fork.
  var forksTold = 0

  /// A copy of a disk.
  enum Backup {
    case store(Store)
    case image(SimulatedDisk.Image)
  }

  /// Datagrams that have arrived and are not processed, as in a socket's buffer.
  var inbox: [(bytes: [UInt8], from: Endpoint, link: LinkID)] = []
  var isAboutToRead = false
  /// When deadlines are processed next; nil if none is scheduled.
  var alarm: Instant?
  /// Identifies the crash or suspension that an automatic end belongs to.
  var outage = 0

  /// Including headers.
  var bytesSentInStory = 0
  var datagramsSent = 0
  var rejections: [String: Int] = [:]
  var failures: [String: Int] = [:]
  /// How it was admitted; nil for the founder and for clones.
  var enrolment: (Enrolment, request: [UInt8])?
  var lastFix: Instant?
  var fixesTaken = 0
  var fixKeptBack: Fix?
  /// The logs that this incarnation writes, by lane.
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
  /// Whether a failed commit may have been stored nevertheless: its user got no acknowledgement.
  var mayHaveKeptMore: Bool { !failures.isEmpty || disk != nil }

  /// Updates the incarnation after this device may have written.
  func noteLife() throws { life = try change { $0.life } }

  /// Calls the replica in place.
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

  /// Returns 10.0.0.1 for the first node; another address after each move.
  static func endpoint(index: Int, move: Int) -> Endpoint {
    let host = index + 1
    guard
      let endpoint = Endpoint(
        address: [10, UInt8(move % 256), UInt8(host / 256), UInt8(host % 256)], port: 7474)
    else { preconditionFailure("four bytes are an address") }
    return endpoint
  }
}
