import Foundation
import MusterCrypto
import MusterModel
import MusterReplica
import MusterStore

/// Replicas of one operation in this process, on a virtual clock: datagrams are handed over at
/// once, so what is measured is the work and not the network.
struct Mesh {
  private(set) var replicas: [Replica] = []
  private(set) var busySeconds: [Double] = []
  private var seeds: DeterministicRandom
  private(set) var datagrams = 0
  private(set) var bytes = 0
  private var now: Int64 = 0

  /// Founds an operation on the first store.
  init(seed: UInt64, founderStore: Store) throws {
    seeds = DeterministicRandom(
      seed: (0..<32).map { UInt8(truncatingIfNeeded: seed >> UInt64($0 % 8 * 8)) })
    let genesis = Genesis(
      operationName: "bench", seed: seeds.bytes(32), now: Timestamp(milliseconds: 0))
    try genesis.store(in: founderStore)
    try add(store: founderStore, credentials: genesis.credentials)
    _ = try replicas[0].rotateEpoch(now: clock)
  }

  var clock: ClockReading {
    ClockReading(
      instant: Instant(microseconds: now),
      wall: Timestamp(milliseconds: 1_800_000_000_000 + now / 1000))
  }

  /// Admits a device by file, as the founder's member.
  mutating func join(store: Store, callsign: String) throws {
    let enrolment = Enrolment(seed: seeds.bytes(32))
    let request = try enrolment.request(
      callsign: callsign, passphrase: nil, seed: seeds.bytes(32)
    ).request
    let (grant, _, _) = try replicas[0].admit(request: request, role: .member, now: clock)
    let (credentials, keys) = try enrolment.join(grant: grant)
    try add(store: store, credentials: credentials)
    _ = try replicas[replicas.count - 1].keep(keys, now: clock)
  }

  private mutating func add(store: Store, credentials: Credentials) throws {
    replicas.append(
      try Replica(
        store: store, credentials: credentials, start: .beginsAnew(above: 0),
        seed: seeds.bytes(32), now: clock))
    busySeconds.append(0)
  }

  mutating func addReport(_ draft: ReportDraft, at index: Int) throws {
    _ = try replicas[index].addReport(draft, now: clock)
  }

  /// Connects two replicas and hands over datagrams until their states agree.
  mutating func synchronise(_ left: Int, _ right: Int) throws {
    var inboxes: [[(bytes: [UInt8], from: Endpoint, link: LinkID)]] = replicas.map { _ in [] }
    deliver(
      try replicas[right].contact([Self.endpoint(left)], now: clock), from: right, &inboxes)
    while replicas[left].root() != replicas[right].root() {
      if inboxes.allSatisfy(\.isEmpty) {
        now += 50_000
        for index in [left, right] {
          deliver(try replicas[index].passDeadlines(now: clock), from: index, &inboxes)
        }
      }
      for index in [left, right] where !inboxes[index].isEmpty {
        let batch = Array(inboxes[index].prefix(Limits.inputsPerBatch))
        inboxes[index].removeFirst(batch.count)
        let reading = clock
        let (outcome, seconds) = try timed { try replicas[index].receive(batch, now: reading) }
        busySeconds[index] += seconds
        deliver(outcome, from: index, &inboxes)
        now += 100
      }
    }
  }

  private mutating func deliver(
    _ outcome: Replica.Outcome, from sender: Int,
    _ inboxes: inout [[(bytes: [UInt8], from: Endpoint, link: LinkID)]]
  ) {
    for case .to(let endpoint, _, let bytes) in outcome.outgoing {
      datagrams += 1
      self.bytes += bytes.count + 28
      inboxes[Int(endpoint.address[3])].append((bytes, Self.endpoint(sender), .unknown))
    }
  }

  private static func endpoint(_ index: Int) -> Endpoint {
    guard let endpoint = Endpoint(address: [127, 0, 0, UInt8(index)], port: 7474) else {
      preconditionFailure("four bytes are an address")
    }
    return endpoint
  }
}
