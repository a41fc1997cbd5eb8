import MusterModel
import MusterStore

/// The time that a narrow medium needs after the heal for what a flood of valid data left: a node
/// that exhausts its quotas, or floods a row, can write more in a story than the medium carries
/// while all settle.
struct FloodBacklog {
  /// The time needed, in addition to the scenario's time to settle; 0 without a flood.
  let milliseconds: Int64

  /// Around a frame or record: headers, name, signature and acknowledgement.
  private static let overheadBytes = 250
  /// Losses, digests, and what several peers send at once.
  private static let transmissions: Int64 = 4
  private static let framesAtOnce = 256

  init(of world: World) throws {
    let floods =
      !world.faulty.overfillers.isEmpty || !world.scenario.namesOfInsiders.isEmpty
    guard floods,
      case .shared(let bitsPerSecond) = world.scenario.network.medium
    else {
      milliseconds = 0
      return
    }
    let nodes = world.nodes.filter(\.isRunning)
    let bytes = try Self.missingFrames(of: nodes) + Self.missingRecords(of: nodes)
    milliseconds = Int64(bytes) * 8 * 1000 * Self.transmissions / bitsPerSecond
  }

  /// The bytes of the frames that other nodes hold, of all nodes.
  private static func missingFrames(of nodes: [SimulatedNode]) throws -> Int {
    var holders: [LogID: (node: SimulatedNode, next: UInt64)] = [:]
    var held: [[LogID: UInt64]] = []
    for node in nodes {
      var next: [LogID: UInt64] = [:]
      for log in try node.store.logs() {
        next[log.head.log] = log.head.sequence + 1
        if holders[log.head.log].map({ $0.next <= log.head.sequence }) ?? true {
          holders[log.head.log] = (node, log.head.sequence + 1)
        }
      }
      held.append(next)
    }
    var bytes = 0
    for (log, holder) in holders {
      let starts = held.map { $0[log] ?? 0 }.filter { $0 < holder.next }
      guard var first = starts.min() else { continue }
      while first < holder.next {
        let frames = try holder.node.store.frames(
          log: log, from: first, maxBytes: .max, maxFrames: framesAtOnce)
        guard let last = frames.last else { break }
        for frame in frames {
          let lacking = starts.count { $0 <= frame.sequence }
          bytes += lacking * (frame.body.count + overheadBytes)
        }
        first = last.sequence + 1
      }
    }
    return bytes
  }

  /// The bytes of the latest records of which other nodes hold a newer one, or this one alone.
  private static func missingRecords(of nodes: [SimulatedNode]) throws -> Int {
    let held = try nodes.map { node in
      Dictionary(
        try node.store.records().map { ($0.topic, $0) }, uniquingKeysWith: { first, _ in first })
    }
    var newest: [RecordTopic: LatestRecord] = [:]
    for records in held { newest.merge(records) { $0.order < $1.order ? $1 : $0 } }
    return newest.reduce(0) { bytes, known in
      let lacking = held.count { $0[known.key].map { $0.order < known.value.order } ?? true }
      return bytes + lacking * (known.value.body.count + overheadBytes)
    }
  }
}
