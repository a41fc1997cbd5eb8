import MusterModel
import MusterReplica
import MusterSync

/// The nodes of a world, by index, by name and by address.
struct Mesh {
  private(set) var nodes: [SimulatedNode] = []
  /// Hundreds of nodes verify the same signatures: the results are shared.
  let verifications = SharedVerifications()
  private var indexByEndpoint: [Endpoint: Int] = [:]
  private let seed: UInt64

  private static let nodesAtATime = 6

  init(seed: UInt64) { self.seed = seed }

  /// Adds a device, which is not switched on. `enrolment` is nil for the founder and for clones.
  mutating func add(
    _ plan: NodePlan, credentials: Credentials, keys: Enrolment.EpochKeys?,
    enrolment: (Enrolment, request: [UInt8])? = nil, storage: NodeStorage
  ) {
    let index = nodes.count
    let endpoint = SimulatedNode.endpoint(index: index, move: 0)
    nodes.append(
      SimulatedNode(
        index: index, plan: plan,
        admission: SimulatedNode.Admission(
          credentials: credentials.sharing(verifications), keys: keys, enrolment: enrolment),
        storage: storage, endpoint: endpoint,
        movement: Movement(
          plan.movement, home: plan.place,
          random: RandomStream(seed: seed, named: "movement of \(plan.name)"))))
    indexByEndpoint[endpoint] = index
  }

  /// Returns the node with a name, which MUST exist.
  func node(_ name: String) -> SimulatedNode {
    guard let node = nodes.first(where: { $0.name == name }) else {
      preconditionFailure("no node has the name \(name)")
    }
    return node
  }

  /// Returns the index of the node that has an address now.
  func index(of endpoint: Endpoint) -> Int? { indexByEndpoint[endpoint] }

  /// Gives a node its next address.
  mutating func readdress(_ node: SimulatedNode) {
    let endpoint = node.interface.endpoint
    indexByEndpoint[endpoint] = nil
    node.interface.move(
      to: SimulatedNode.endpoint(index: node.index, move: Int(endpoint.address[1]) + 1))
    indexByEndpoint[node.interface.endpoint] = node.index
  }

  /// Returns running nodes, a few at a time if there are many, since checks are expensive.
  func someNodes(turn: Int) -> [SimulatedNode] {
    let few = min(nodes.count, Self.nodesAtATime)
    return (0..<few).map { nodes[(turn * few + $0) % nodes.count] }.filter(\.isRunning)
  }
}
