import MusterModel
import MusterReplica
import MusterStore

/// One device of the world: the real replica on a real database, with simulated program, clocks,
/// sockets and disk.
///
/// A class, so that the replica in it is never copied.
final class SimulatedNode {
  let index: Int
  let plan: NodePlan
  let admission: Admission
  var interface: NetworkInterface
  var storage: NodeStorage
  var replica: Replica?
  /// The replica's incarnation after its last command. Cached, since a query would copy the
  /// replica.
  private(set) var incarnationState: Replica.IncarnationState?
  var timers = Timers()
  var machine = Machine()
  var clock: NodeClock
  var positions: PositionSource
  var counters = Counters()

  /// The keys of a device, and the enrolment that led to them.
  struct Admission {
    let credentials: Credentials
    let keys: Enrolment.EpochKeys?
    /// Nil for the founder and for clones.
    let enrolment: (Enrolment, request: [UInt8])?
  }

  enum Power: Hashable {
    /// Not started yet.
    case absent
    case on
    case off
    /// Suspended: nothing arrives, and deadlines pass unnoticed.
    case asleep
  }

  /// When the program looks at its deadlines, and when it reviews its alerts.
  struct Timers {
    var deadline = DeadlineTimer()
    var review = ReviewTimer()

    mutating func cancel() {
      deadline.cancel()
      review.cancel()
    }
  }

  /// The power state of a device, and how often it was interrupted.
  struct Machine {
    private(set) var power = Power.absent
    /// Identifies the crash or suspension that an automatic end belongs to.
    private(set) var outage = 0
    /// When it was interrupted last; nil before the first time.
    private(set) var interruptedAt: Instant?
    /// When it was turned on last.
    private(set) var turnedOnAt = Instant(microseconds: 0)

    mutating func turnOn(at time: Instant) {
      power = .on
      turnedOnAt = time
    }

    /// The program did not start.
    mutating func failToStart() { power = .off }

    mutating func interrupt(_ power: Power, at time: Instant) {
      self.power = power
      outage += 1
      interruptedAt = time
    }
  }

  /// What went wrong at a device, by reason.
  struct Counters {
    /// Datagrams that were dropped.
    private(set) var rejections: [String: Int] = [:]
    /// Calls that the store failed.
    private(set) var failures: [String: Int] = [:]

    mutating func noteRejection(_ reason: String) { rejections[reason, default: 0] += 1 }

    mutating func noteFailure(_ error: StoreError) { failures["\(error)", default: 0] += 1 }

    var failureCount: Int { failures.values.reduce(0, +) }
  }

  init(
    index: Int, plan: NodePlan, admission: Admission, storage: NodeStorage, endpoint: Endpoint,
    movement: Movement
  ) {
    self.index = index
    self.plan = plan
    self.admission = admission
    self.storage = storage
    interface = NetworkInterface(endpoint)
    positions = PositionSource(movement)
    clock = NodeClock(
      machine: UInt64(index), skewMilliseconds: plan.skewMilliseconds,
      driftPerMillion: plan.driftPerMillion)
  }

  var name: String { plan.name }
  var credentials: Credentials { admission.credentials }
  var store: Store { storage.store }
  var power: Power { machine.power }
  var isRunning: Bool { machine.power == .on && replica != nil }
  var reads: Bool { plan.role.reads }
  /// Whether a failed commit may have been stored nevertheless: its user got no acknowledgement.
  var mayHaveKeptMore: Bool { !counters.failures.isEmpty || storage.hasDisk }

  /// Updates the incarnation after this device may have written.
  func recordIncarnation() throws { incarnationState = try change { $0.incarnationState } }

  /// Calls the replica in place.
  func change<T>(_ body: (inout Replica) throws -> T) throws -> T? {
    guard replica != nil else { return nil }
    return try change(&replica!, body)
  }

  private func change<T>(
    _ replica: inout Replica, _ body: (inout Replica) throws -> T
  ) throws -> T {
    defer { timers.deadline.deadline = replica.nextDeadline }
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
