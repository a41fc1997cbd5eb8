import MusterModel
import MusterReplica
import MusterStore

/// The start of a run: an operation, with certificates for all nodes.
struct Founding {
  private(set) var mesh: Mesh
  /// The random stream of the world, after what the founding drew.
  private(set) var random: RandomStream
  /// The root key, which signs councils.
  let rootKey: RootKey
  private let seed: UInt64
  private let namesWithDisks: Set<String>

  /// Founds the operation by the first node, and enrols all others by file.
  init(_ scenario: Scenario, seed: UInt64) throws {
    guard let first = scenario.nodes.first else { preconditionFailure("the scenario has no nodes") }
    precondition(first.role == .command, "\(first.name) cannot found an operation")
    self.seed = seed
    namesWithDisks = scenario.namesWithDisks
    mesh = Mesh(seed: seed)
    random = RandomStream(seed: seed, named: "world")
    let genesis = Genesis(
      operationName: scenario.name, seed: random.seed32(),
      now: Timestamp(milliseconds: NodeClock.epochMilliseconds))
    // Without a passphrase the seed is not used.
    rootKey = try RootKey(
      file: genesis.rootKeyFile(passphrase: nil, seed: [UInt8](repeating: 0, count: 32)),
      passphrase: nil)
    let storage = try storage(of: first)
    try genesis.store(in: storage.store)
    mesh.add(first, credentials: genesis.credentials, keys: nil, storage: storage)
    let clock = mesh.nodes[0].clock.reading(at: Instant(microseconds: 0))
    var founder = try Replica(
      store: storage.store, credentials: genesis.credentials, start: .startsIncarnation(above: 0),
      seed: random.seed32(), systemBoot: [], now: clock)
    _ = try founder.rotateEpoch(now: clock)
    try enrol(scenario.nodes.dropFirst(), founder: &founder, clock: clock)
  }

  private mutating func enrol(
    _ plans: ArraySlice<NodePlan>, founder: inout Replica, clock: ClockReading
  ) throws {
    var admitters: [String: Replica] = [:]
    for plan in plans {
      if let original = plan.cloneOf {
        mesh.add(
          plan, credentials: mesh.node(original).credentials, keys: nil,
          storage: try storage(of: plan))
        continue
      }
      let enrolment = Enrolment(seed: random.seed32())
      let request = try enrolment.request(
        callsign: plan.name, passphrase: nil, seed: random.seed32()
      ).request
      let grant: [UInt8]
      if let name = plan.admittedBy {
        // What it writes is only on its own disk, which no other node ever sees.
        if admitters[name] == nil { admitters[name] = try openForAdmitting(name, clock) }
        guard
          let admitted = try admitters[name]?.admit(request: request, role: plan.role, now: clock)
        else { preconditionFailure("\(name) cannot admit \(plan.name)") }
        grant = admitted.grant
      } else {
        grant = try founder.admit(request: request, role: plan.role, now: clock).grant
      }
      let (credentials, keys) = try enrolment.join(grant: grant)
      mesh.add(
        plan, credentials: credentials, keys: keys, enrolment: (enrolment, request),
        storage: try storage(of: plan))
    }
  }

  private func storage(of plan: NodePlan) throws(StoreError) -> NodeStorage {
    try NodeStorage(of: plan.name, hasDisk: namesWithDisks.contains(plan.name), seed: seed)
  }

  private mutating func openForAdmitting(_ name: String, _ clock: ClockReading) throws -> Replica {
    let node = mesh.node(name)
    var replica = try Replica(
      store: node.store, credentials: node.credentials, start: .startsIncarnation(above: 0),
      seed: random.seed32(), systemBoot: [], now: clock)
    if let keys = node.admission.keys { _ = try replica.keep(keys, now: clock) }
    return replica
  }
}
