internal import MusterModel

/// What a run looks like from above, for its report: moments of it, and what was made to happen.
///
/// Bounded: where a run is longer than there is room for, every second moment is let go, and from
/// then on half as many are kept. Looking changes nothing of the run.
public struct Recording: Sendable {
  /// The mesh at one moment.
  struct MeshSample: Sendable {
    var milliseconds: Int64
    /// How many different states those show who are on and may read.
    var states: Int
    var bytes: Int
    var nodes: [NodeSample]
  }

  /// One node at one moment.
  struct NodeSample: Sendable {
    var power: SimulatedNode.Power
    /// Frames that others hold and it does not.
    var missing: Int
    var place: GroundPoint
  }

  /// Something of the scenario's timeline.
  struct Event: Sendable {
    var milliseconds: Int64
    var text: String
    /// Whether it cuts links (true), restores them (false), or neither.
    var cuts: Bool?
  }

  private(set) var moments: [MeshSample] = []
  private(set) var events: [Event] = []
  private var stride = 1
  private var seen = 0

  private static let mostMoments = 480
  private static let mostEvents = 400

  /// Nothing was seen yet.
  public init() {}

  mutating func note(_ event: TimelineEvent, atMilliseconds milliseconds: Int64) {
    guard events.count < Self.mostEvents else { return }
    events.append(Event(milliseconds: milliseconds, text: event.words, cuts: event.cutsLinks))
  }

  /// - Parameter isLast: keeps it in any case.
  mutating func look(at world: World, isLast: Bool) throws {
    seen += 1
    guard isLast || seen % stride == 0 else { return }
    moments.append(try Self.moment(of: world))
    guard moments.count >= Self.mostMoments else { return }
    stride *= 2
    moments = moments.enumerated().filter { $0.offset % 2 == 0 || isLast }.map(\.element)
  }

  private static func moment(of world: World) throws -> MeshSample {
    var states: Set<StateHash> = []
    var newest: [LogID: UInt64] = [:]
    var held: [Int] = []
    for node in world.nodes {
      var frames = 0
      for summary in try node.store.logs() {
        let sequence = summary.head.sequence
        frames += Int(sequence) + 1
        newest[summary.head.log] = max(newest[summary.head.log] ?? 0, sequence)
      }
      held.append(frames)
      if node.isRunning, node.reads, let state = try node.change({ try $0.stateHash() }) {
        states.insert(state)
      }
    }
    let all = newest.values.reduce(0) { $0 + Int($1) + 1 }
    return MeshSample(
      milliseconds: world.storyMilliseconds, states: states.count, bytes: world.network.bytes,
      nodes: world.nodes.map { node in
        NodeSample(
          power: node.power, missing: all - held[node.index],
          place: node.positions.place(at: world.now))
      })
  }
}
