import Foundation
import MusterCrypto
import MusterModel
import MusterReplica
import MusterStore

/// Replicas of one operation in this process, on a virtual clock: datagrams are handed over at
/// once, so what is measured is the work and not the network.
struct Mesh {
  private(set) var replicas: [Replica] = []
  private(set) var busy: [Elapsed] = []
  private var homes: [(store: Store, credentials: Credentials)] = []
  private var seeds: DeterministicRandom
  private(set) var traffic = Traffic()
  private var now: Int64 = 0
  /// The connected nodes.
  private var connected: [Int] = []
  /// What `exchange` and `write` have sent, by addressee.
  private var flying: [[(bytes: [UInt8], from: Endpoint, link: LinkID)]] = []

  /// What went over the wire since it was last reset, with 28 bytes of UDP and IPv4 headers each.
  struct Traffic {
    var datagrams = 0
    var bytes = 0
    /// Times that everything in flight was handed over: two make a round trip.
    var crossings = 0
    /// Before either side held a frame that it lacked.
    var bytesBeforeFrames = 0
    var crossingsBeforeFrames = 0
  }

  /// The end of a pause in which no node has anything to send.
  private static let pauseMicroseconds: Int64 = 50_000
  /// Longer than anything is repeated.
  private static let settlingMicroseconds: Int64 = 20_000_000
  /// Of an honest network; the virtual clock moves on by it.
  private static let crossingMicroseconds: Int64 = 1000

  /// Founds an operation.
  ///
  /// - Parameter path: where the founder's database is; in memory where there is none.
  init(seed: UInt64, founderAt path: String?) throws {
    seeds = DeterministicRandom(
      seed: (0..<32).map { UInt8(truncatingIfNeeded: seed >> UInt64($0 % 8 * 8)) })
    let genesis = Genesis(
      operationName: "bench", seed: seeds.bytes(32), now: Timestamp(milliseconds: 0))
    founder = genesis.credentials
    let store = try Self.store(at: path, of: founder, seed: seeds.bytes(32))
    try genesis.store(in: store)
    try add(store: store, credentials: founder)
    _ = try replicas[0].rotateEpoch(now: clock)
  }

  static func store(
    at path: String?, of credentials: Credentials, seed: [UInt8]
  ) throws -> Store {
    guard let path else { return try .inMemory() }
    return try ReplicaDatabase.open(at: path, of: credentials, seed: seed)
  }

  /// A replica's database.
  func store(_ index: Int) -> Store { homes[index].store }

  /// Switches the replica that joined last off for good.
  mutating func removeLast() {
    replicas.removeLast()
    homes.removeLast()
    busy.removeLast()
  }

  /// A replica's device.
  func device(_ index: Int) -> DeviceID { homes[index].credentials.device }

  /// Lets go of a replica's database.
  func close(_ index: Int) throws { try homes[index].store.close() }

  /// Of the founder, who has index 0.
  let founder: Credentials

  var clock: ClockReading {
    ClockReading(
      instant: Instant(microseconds: now),
      wall: Timestamp(milliseconds: 1_800_000_000_000 + now / 1000), boot: now / 1000,
      entropy: .zero)
  }

  /// Returns the join request of a device that is not in the mesh.
  mutating func request(callsign: String) throws -> [UInt8] {
    try Enrolment(seed: seeds.bytes(32)).request(
      callsign: callsign, passphrase: nil, seed: seeds.bytes(32)
    ).request
  }

  /// Admits a device by file; its index is that of the call.
  mutating func join(at path: String?, callsign: String, role: Role) throws {
    let (credentials, keys) = try enrol(callsign: callsign, role: role)
    let store = try Self.store(at: path, of: credentials, seed: seeds.bytes(32))
    try add(store: store, credentials: credentials)
    _ = try replicas[replicas.count - 1].keep(keys, now: clock)
  }

  /// Admits a device by file, and returns what it starts with.
  mutating func enrol(
    callsign: String, role: Role
  ) throws -> (credentials: Credentials, keys: Enrolment.EpochKeys) {
    let enrolment = Enrolment(seed: seeds.bytes(32))
    let request = try enrolment.request(
      callsign: callsign, passphrase: nil, seed: seeds.bytes(32)
    ).request
    let admitted = try replicas[0].admit(request: request, role: role, now: clock)
    return try enrolment.join(grant: admitted.grant)
  }

  /// Admits a device that never starts.
  mutating func admit(callsign: String, role: Role) throws {
    let request = try Enrolment(seed: seeds.bytes(32)).request(
      callsign: callsign, passphrase: nil, seed: seeds.bytes(32)
    ).request
    _ = try replicas[0].admit(request: request, role: role, now: clock)
  }

  /// A replica's database begins a new life, and with it new logs.
  mutating func startIncarnation(_ index: Int) throws {
    let (store, credentials) = homes[index]
    replicas[index] = try Replica(
      store: store, credentials: credentials, start: .startsIncarnation(above: 0),
      seed: seeds.bytes(32), systemBoot: [UInt8(truncatingIfNeeded: index)], now: clock)
  }

  /// A replica opens its database again, in the same boot of its machine.
  mutating func reopen(_ index: Int) throws {
    let (store, credentials) = homes[index]
    replicas[index] = try Replica(
      store: store, credentials: credentials, start: .continues, seed: seeds.bytes(32),
      systemBoot: [1], now: clock)
  }

  /// Moves the clock on while nothing runs.
  mutating func skip(milliseconds: Int64) { now += milliseconds * 1000 }

  private mutating func add(store: Store, credentials: Credentials) throws {
    replicas.append(
      try Replica(
        store: store, credentials: credentials, start: .startsIncarnation(above: 0),
        seed: seeds.bytes(32), systemBoot: [1], now: clock))
    homes.append((store, credentials))
    busy.append(Elapsed())
  }

  /// Works on one replica; what it would send is lost.
  mutating func at<Result>(
    _ index: Int, _ work: (inout Replica, ClockReading) throws -> Result
  ) rethrows -> Result {
    try work(&replicas[index], clock)
  }

  /// Carries out commands in one transaction on one replica; what it would send is lost.
  mutating func gather(at index: Int, _ work: (inout Replica, ClockReading) throws -> Void) throws {
    let reading = clock
    _ = try replicas[index].gather(now: reading) { try work(&$0, reading) }
  }

  mutating func resetTraffic() { traffic = Traffic() }

  /// Lets two converged replicas send what is still queued: data in flight at their convergence is
  /// lost, and retransmitted.
  mutating func settle(_ left: Int, _ right: Int) throws {
    connected = [left, right]
    let end = now + Self.settlingMicroseconds
    var flying: [[(bytes: [UInt8], from: Endpoint, link: LinkID)]] = replicas.map { _ in [] }
    while now < end {
      for index in connected {
        send(try replicas[index].passDeadlines(now: clock), from: index, &flying)
      }
      let arriving = flying
      flying = replicas.map { _ in [] }
      let isQuiet = arriving.allSatisfy(\.isEmpty)
      now += isQuiet ? Self.pauseMicroseconds : Self.crossingMicroseconds
      for index in connected { try receive(arriving[index], at: index, &flying) }
    }
  }

  /// Lets time pass for disconnected replicas: their datagrams are lost.
  mutating func pass(milliseconds: Int64) throws {
    connected = []
    var flying: [[(bytes: [UInt8], from: Endpoint, link: LinkID)]] = replicas.map { _ in [] }
    let end = now + milliseconds * 1000
    while now < end {
      now += Self.pauseMicroseconds
      for index in replicas.indices {
        send(try replicas[index].passDeadlines(now: clock), from: index, &flying)
      }
    }
  }

  /// Connects two replicas and hands over datagrams until their states agree.
  mutating func synchronise(_ left: Int, _ right: Int) throws {
    connected = [left, right]
    var flying: [[(bytes: [UInt8], from: Endpoint, link: LinkID)]] = replicas.map { _ in [] }
    send(try replicas[right].contact([Self.endpoint(left)], now: clock), from: right, &flying)
    var framesHeld = try frames(left) + frames(right)
    var hasFrames = false
    while replicas[left].root() != replicas[right].root() {
      if flying.allSatisfy(\.isEmpty) { now += Self.pauseMicroseconds }
      for index in [left, right] {
        send(try replicas[index].passDeadlines(now: clock), from: index, &flying)
      }
      let (bytes, arriving) = (traffic.bytes, flying)
      flying = replicas.map { _ in [] }
      guard !arriving.allSatisfy(\.isEmpty) else { continue }
      traffic.crossings += 1
      now += Self.crossingMicroseconds
      for index in [left, right] {
        try receive(arriving[index], at: index, &flying)
      }
      guard !hasFrames else { continue }
      let heldNow = try frames(left) + frames(right)
      hasFrames = heldNow != framesHeld
      framesHeld = heldNow
      if !hasFrames {
        traffic.bytesBeforeFrames = bytes
        traffic.crossingsBeforeFrames = traffic.crossings
      }
    }
  }

  /// Lets time pass for two replicas that `synchronise` has connected; what they sent before
  /// arrives at the end.
  mutating func exchange(_ left: Int, _ right: Int, milliseconds: Int64) throws {
    now += milliseconds * 1000
    let arriving = flying.isEmpty ? replicas.map { _ in [] } : flying
    var sent: [[(bytes: [UInt8], from: Endpoint, link: LinkID)]] = replicas.map { _ in [] }
    for index in [left, right] {
      try receive(arriving[index], at: index, &sent)
      guard let due = replicas[index].nextDeadline, due <= clock.instant else { continue }
      send(try replicas[index].passDeadlines(now: clock), from: index, &sent)
    }
    flying = sent
  }

  /// Works on one replica; what it sends is on the way at the next `exchange`.
  mutating func write(
    at index: Int, _ work: (inout Replica, ClockReading) throws -> Replica.Outcome
  ) throws {
    let outcome = try work(&replicas[index], clock)
    var sent = flying.isEmpty ? replicas.map { _ in [] } : flying
    send(outcome, from: index, &sent)
    flying = sent
  }

  private mutating func receive(
    _ arriving: [(bytes: [UInt8], from: Endpoint, link: LinkID)], at index: Int,
    _ flying: inout [[(bytes: [UInt8], from: Endpoint, link: LinkID)]]
  ) throws {
    var rest = arriving[...]
    while !rest.isEmpty {
      let batch = Array(rest.prefix(Limits.inputsPerBatch))
      rest = rest.dropFirst(batch.count)
      let reading = clock
      let (outcome, elapsed) = try timed { try replicas[index].receive(batch, now: reading) }
      busy[index] += elapsed
      send(outcome, from: index, &flying)
    }
  }

  private func frames(_ index: Int) throws -> Int { try replicas[index].queries.framesHeld() }

  private mutating func send(
    _ outcome: Replica.Outcome, from sender: Int,
    _ flying: inout [[(bytes: [UInt8], from: Endpoint, link: LinkID)]]
  ) {
    for case .to(let endpoint, _, let bytes) in outcome.outgoing {
      let addressee = Int(endpoint.address[2]) << 8 | Int(endpoint.address[3])
      guard connected.contains(addressee) else { continue }
      traffic.datagrams += 1
      traffic.bytes += bytes.count + Limits.headerBytes
      flying[addressee].append((bytes, Self.endpoint(sender), .unknown))
    }
  }

  private static func endpoint(_ index: Int) -> Endpoint {
    let address = [10, 0, UInt8(index >> 8), UInt8(index & 0xFF)]
    guard let endpoint = Endpoint(address: address, port: 7474) else {
      preconditionFailure("four bytes are an address")
    }
    return endpoint
  }
}
