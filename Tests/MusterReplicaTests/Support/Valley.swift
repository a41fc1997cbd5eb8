import MusterModel
import MusterReplica
import MusterStore
import MusterTestKit
import Testing

/// Several replicas, one virtual clock, and the network between them. It reads no clock and draws
/// no randomness except from the seed: a seed gives the same run every time.
struct Valley {
  /// One device. Its replica is nil while it is switched off.
  struct Laptop {
    let name: String
    let endpoint: Endpoint
    let credentials: Credentials
    /// Nil for a store in memory, which outlives its replica like a file.
    let path: String?
    var store: Store
    var replica: Replica?
    var remarks: [String] = []
    var rejections: [String] = []
    var crossings: [CrossingSummary] = []
    var demands: [RowID] = []
    /// How far its wall clock is ahead of the valley's.
    var leadMilliseconds: Int64 = 0
    /// How often its machine was started, and when last.
    var boots: UInt8 = 1
    var bootedAt = Instant(microseconds: 0)
  }

  let seed: UInt64
  private(set) var now = Instant(microseconds: 1_000_000)
  var air: Air
  var random: SplitMix64
  var laptops: [Laptop] = []
  /// Whether `Replica.checkInvariants` is called after each step.
  var checksInvariants = true
  /// Whether multicast works; otherwise all traffic uses sessions.
  var hasMulticast = true
  /// The root key of the operation that was founded.
  var rootKey: RootKey?
  /// Whether a database is copied in this test.
  var hasForks = false
  private static let start = Timestamp(milliseconds: 1_750_000_000_000)

  init(seed: UInt64 = 1) {
    self.seed = seed
    air = Air(seed: seed &+ 1)
    random = SplitMix64(seed: seed)
  }

  var clock: ClockReading {
    ClockReading(
      instant: now,
      wall: Timestamp(milliseconds: Self.start.milliseconds + now.microseconds / 1000),
      boot: now.microseconds / 1000, entropy: .zero)
  }

  func clock(of laptop: Laptop) -> ClockReading {
    let wall = clock.wall.milliseconds + laptop.leadMilliseconds
    return ClockReading(
      instant: now, wall: Timestamp(milliseconds: wall),
      boot: now.milliseconds(since: laptop.bootedAt), entropy: .zero)
  }

  /// Sets a device's wall clock.
  mutating func setClock(_ name: String, aheadMilliseconds: Int64) {
    laptops[index(name)].leadMilliseconds = aheadMilliseconds
  }

  /// 10.0.0.1 for the first; enough for 65,535.
  static func endpoint(_ number: Int) -> Endpoint {
    let host = UInt16(number + 1)
    let address = [10, 0, UInt8(host >> 8), UInt8(host & 255)]
    guard let endpoint = Endpoint(address: address, port: 7474) else {
      preconditionFailure("four bytes are an address")
    }
    return endpoint
  }

  func index(_ name: String) -> Int {
    guard let index = laptops.firstIndex(where: { $0.name == name }) else {
      preconditionFailure("no device is called \(name)")
    }
    return index
  }

  // MARK: Commands

  /// Gives a device a command, and sends the resulting datagrams.
  @discardableResult
  mutating func at<T>(
    _ name: String, _ command: (inout Replica, ClockReading) throws -> (T, Replica.Outcome)
  ) throws -> T {
    let index = index(name)
    guard var replica = laptops[index].replica else {
      preconditionFailure("\(name) is switched off")
    }
    laptops[index].replica = nil
    defer { laptops[index].replica = replica }
    let (result, outcome) = try command(&replica, clock(of: laptops[index]))
    if checksInvariants { try replica.checkInvariants() }
    try take(outcome, of: index, replica)
    return result
  }

  mutating func at(
    _ name: String, _ command: (inout Replica, ClockReading) throws -> Replica.Outcome
  ) throws {
    try at(name) { replica, now in ((), try command(&replica, now)) }
  }

  /// Queries a device.
  mutating func ask<T>(
    _ name: String, _ question: (inout Replica, ClockReading) throws -> T
  ) throws -> T {
    try at(name) { replica, now in (try question(&replica, now), Replica.Outcome()) }
  }

  mutating func take(_ outcome: Replica.Outcome, of index: Int, _ replica: Replica) throws {
    let from = laptops[index].endpoint
    for outgoing in outcome.outgoing {
      switch outgoing {
      case .to(let endpoint, _, let bytes): air.send(bytes, from: from, to: endpoint, now: now)
      case .multicast(_, let bytes):
        for other in laptops where hasMulticast && other.endpoint != from {
          air.send(bytes, from: from, to: other.endpoint, now: now)
        }
      }
    }
    let forks = outcome.remarks.filter { $0.contains("fork") }
    #expect(forks.isEmpty || hasForks, "no log may fork in this valley")
    laptops[index].remarks += outcome.remarks
    laptops[index].demands += outcome.locationDemands
    laptops[index].rejections += outcome.rejections.map(\.reason)
    laptops[index].crossings += try outcome.crossings.map(replica.queries.summary)
  }

  // MARK: Time

  /// Advances time to the next event, or to `end`; returns false once that is reached.
  mutating func step(until end: Instant, except guest: Endpoint? = nil) throws -> Bool {
    var next = air.nextArrival(except: guest) ?? end
    for index in laptops.indices { next = min(next, laptops[index].replica?.nextDeadline ?? end) }
    guard next < end else {
      now = max(now, end)
      return false
    }
    now = max(now, next)
    var mail: [Endpoint: [(bytes: [UInt8], from: Endpoint, link: LinkID)]] = [:]
    for flight in air.arrived(by: now, except: guest) {
      mail[flight.to, default: []].append((flight.bytes, flight.from, .unknown))
    }
    // By index, because a copy would make the replicas copy themselves on change.
    for index in laptops.indices where laptops[index].replica != nil {
      let name = laptops[index].name
      if let datagrams = mail[laptops[index].endpoint] {
        try at(name) { try $0.receive(datagrams, now: $1) }
      }
      if let deadline = laptops[index].replica?.nextDeadline, deadline <= now {
        try at(name) { try $0.passDeadlines(now: $1) }
      }
    }
    return true
  }

  mutating func run(milliseconds: Int64) throws {
    let end = now.advanced(byMilliseconds: milliseconds)
    while try step(until: end) {}
  }

  /// Advances time until a condition holds; returns nil if it does not in time.
  mutating func wait(
    upTo milliseconds: Int64, until holds: (inout Valley) throws -> Bool
  ) throws -> Int64? {
    let start = now
    let end = now.advanced(byMilliseconds: milliseconds)
    while true {
      if try holds(&self) { return now.milliseconds(since: start) }
      // The condition is more expensive than a step.
      let pause = min(end, now.advanced(byMilliseconds: 100))
      guard pause > now else { return nil }
      while try step(until: pause) {}
    }
  }

  // MARK: The network

  mutating func cut(_ groups: [String]...) {
    air.cut(into: groups.map { $0.map { laptops[index($0)].endpoint } })
  }

  /// Arranges devices in a row, in which each reaches only those beside it.
  mutating func lineUp(_ names: String...) { lineUp(names) }

  mutating func lineUp(_ names: [String]) {
    air.line(up: names.map { laptops[index($0)].endpoint })
  }

  mutating func heal() { air.heal() }

  // MARK: Convergence

  /// The devices that are switched on.
  var names: [String] { laptops.filter { $0.replica != nil }.map(\.name) }

  /// The devices that are switched on and may read.
  var readers: [String] {
    laptops.filter { $0.replica != nil && $0.credentials.role.reads }.map(\.name)
  }

  mutating func hashes() throws -> [StateHash] {
    var hashes: [StateHash] = []
    for name in readers { hashes.append(try ask(name) { replica, _ in try replica.stateHash() }) }
    return hashes
  }

  /// Whether all running devices hold the same and, except relays, show the same.
  mutating func isConverged() throws -> Bool {
    var roots: Set<[UInt8]> = []
    var states: Set<StateHash> = []
    var evidence: Set<[EvidenceID]> = []
    for name in names {
      evidence.insert(try ask(name) { replica, _ in replica.queries.membership.evidence })
      let status = try ask(name) { try $0.status(now: $1) }
      roots.insert(status.root)
      guard status.role.reads else { continue }
      states.insert(status.stateHash)
      if status.stateIsIncomplete { return false }
    }
    return roots.count == 1 && states.count <= 1 && evidence.count <= 1
  }

  /// Advances time until all converge; returns how long it took.
  @discardableResult
  mutating func converge(within milliseconds: Int64 = 60_000) throws -> Int64 {
    guard let elapsed = try wait(upTo: milliseconds, until: { try $0.isConverged() }) else {
      Issue.record(
        "no agreement after \(milliseconds) ms: \(try describe())")
      return milliseconds
    }
    return elapsed
  }

  mutating func describe() throws -> String {
    var lines: [String] = ["seed \(seed)"]
    for name in names {
      let laptop = laptops[index(name)]
      let status = try ask(name) { try $0.status(now: $1) }
      let connected = status.peers.filter(\.isConnected).map(\.callsign)
      lines.append(
        "\(name): state \(status.stateHash), root \(Hex.encode(status.root)), "
          + "\(status.logs) logs, \(status.frames) frames, \(status.waitingFrames) waiting, "
          + "connected to \(connected), remarks \(Set(laptop.remarks).sorted()), "
          + "rejected \(Set(laptop.rejections).sorted())")
    }
    return lines.joined(separator: "\n")
  }
}
