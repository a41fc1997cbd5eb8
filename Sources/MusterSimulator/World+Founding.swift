import MusterModel
import MusterReplica
import MusterStore

/// The beginning: an operation, and everybody certified in it.
extension World {
  func found() throws {
    guard let first = scenario.nodes.first else { preconditionFailure("nobody takes part") }
    precondition(first.role == .command, "\(first.name) cannot found an operation")
    let genesis = Genesis(
      operationName: scenario.name, seed: random.seed32(),
      now: Timestamp(milliseconds: NodeClock.epochMilliseconds))
    let store = try Store.inMemory()
    try genesis.store(in: store)
    add(first, credentials: genesis.credentials, keys: nil, store: store)
    let clock = nodes[0].clock.reading(at: now)
    var founder = try Replica(
      store: store, credentials: genesis.credentials, start: .beginsAnew(above: 0),
      seed: random.seed32(), now: clock)
    _ = try founder.rotateEpoch(now: clock)
    for plan in scenario.nodes.dropFirst() {
      let enrolment = Enrolment(seed: random.seed32())
      let request = try enrolment.request(
        callsign: plan.name, passphrase: nil, seed: random.seed32()
      ).request
      let grant = try founder.admit(request: request, role: plan.role, now: clock).grant
      let (credentials, keys) = try enrolment.join(grant: grant)
      add(plan, credentials: credentials, keys: keys, store: try Store.inMemory())
    }
  }

  private func add(
    _ plan: NodePlan, credentials: Credentials, keys: Enrolment.EpochKeys?, store: Store
  ) {
    let index = nodes.count
    let endpoint = SimulatedNode.endpoint(index: index, move: 0)
    nodes.append(
      SimulatedNode(
        index: index, plan: plan, credentials: credentials, keys: keys, store: store,
        endpoint: endpoint,
        movement: Movement(
          plan.movement, home: plan.place,
          random: RandomStream(seed: seed, named: "movement of \(plan.name)"))))
    indexByEndpoint[endpoint] = index
  }

  func node(_ name: String) -> SimulatedNode {
    guard let node = nodes.first(where: { $0.name == name }) else {
      preconditionFailure("nobody is called \(name)")
    }
    return node
  }
}
