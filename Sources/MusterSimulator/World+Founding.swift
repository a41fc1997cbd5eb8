import MusterModel
import MusterReplica
import MusterStore

/// The start: an operation, with certificates for all nodes.
extension World {
  func found() throws {
    guard let first = scenario.nodes.first else { preconditionFailure("the scenario has no nodes") }
    precondition(first.role == .command, "\(first.name) cannot found an operation")
    let genesis = Genesis(
      operationName: scenario.name, seed: random.seed32(),
      now: Timestamp(milliseconds: NodeClock.epochMilliseconds))
    // Without a passphrase the seed is not used.
    council.rootKey = try RootKey(
      file: genesis.rootKeyFile(passphrase: nil, seed: [UInt8](repeating: 0, count: 32)),
      passphrase: nil)
    let (store, disk) = try makeStore(for: first)
    try genesis.store(in: store)
    add(first, credentials: genesis.credentials, keys: nil, store: store, disk: disk)
    let clock = nodes[0].clock.reading(at: now)
    var founder = try Replica(
      store: store, credentials: genesis.credentials, start: .beginsAnew(above: 0),
      seed: random.seed32(), systemBoot: [], now: clock)
    _ = try founder.rotateEpoch(now: clock)
    var admitters: [String: Replica] = [:]
    for plan in scenario.nodes.dropFirst() {
      if let original = plan.cloneOf {
        let (store, disk) = try makeStore(for: plan)
        add(plan, credentials: node(original).credentials, keys: nil, store: store, disk: disk)
        continue
      }
      let enrolment = Enrolment(seed: random.seed32())
      let request = try enrolment.request(
        callsign: plan.name, passphrase: nil, seed: random.seed32()
      ).request
      let grant: [UInt8]
      if let name = plan.admittedBy {
        // What it writes is only on its own disk, which no other node ever sees.
        if admitters[name] == nil { admitters[name] = try openForAdmitting(node(name), clock) }
        guard
          let admitted = try admitters[name]?.admit(request: request, role: plan.role, now: clock)
        else { preconditionFailure("\(name) cannot admit \(plan.name)") }
        grant = admitted.grant
      } else {
        grant = try founder.admit(request: request, role: plan.role, now: clock).grant
      }
      let (credentials, keys) = try enrolment.join(grant: grant)
      let (store, disk) = try makeStore(for: plan)
      add(plan, credentials: credentials, keys: keys, store: store, disk: disk)
      nodes[nodes.count - 1].enrolment = (enrolment, request)
    }
  }

  private func openForAdmitting(_ node: SimulatedNode, _ clock: ClockReading) throws -> Replica {
    var replica = try Replica(
      store: node.store, credentials: node.credentials, start: .beginsAnew(above: 0),
      seed: random.seed32(), systemBoot: [], now: clock)
    if let keys = node.keys { _ = try replica.keep(keys, now: clock) }
    return replica
  }

  private func add(
    _ plan: NodePlan, credentials: Credentials, keys: Enrolment.EpochKeys?, store: Store,
    disk: SimulatedDisk?
  ) {
    let index = nodes.count
    let credentials = credentials.sharing(findings)
    let endpoint = SimulatedNode.endpoint(index: index, move: 0)
    nodes.append(
      SimulatedNode(
        index: index, plan: plan, credentials: credentials, keys: keys, store: store,
        disk: disk, endpoint: endpoint,
        movement: Movement(
          plan.movement, home: plan.place,
          random: RandomStream(seed: seed, named: "movement of \(plan.name)"))))
    indexByEndpoint[endpoint] = index
  }

  func node(_ name: String) -> SimulatedNode {
    guard let node = nodes.first(where: { $0.name == name }) else {
      preconditionFailure("no node has the name \(name)")
    }
    return node
  }
}
