internal import MusterModel

/// Positions of others on their way to the peers on uplinks, in an operation with too many of them
/// to push each position to all at once.
///
///     position ─▶ waiting, once for each device ── every second ─▶ the newest ones as one batch,
///                                                                  the same for all peers
///
/// Positions are sent in the order in which they began to wait, so that each device has its turn.
/// A peer that has anything queued or unacknowledged gets none of a batch: reports and alarms go
/// first, and positions pile up neither on a slow uplink nor at a peer that is busy. What a peer
/// misses, a later turn or a digest brings.
///
/// Invariants: a topic waits once; at most `Limits.fedPositions` wait.
struct PositionFeed: Sendable {
  static let milliseconds: Int64 = 1000
  /// Room in a datagram for the acknowledgement that goes with it.
  private static let acknowledgementBytes = 40

  private var waiting: [RecordTopic] = []
  private var isWaiting: Set<RecordTopic> = []

  /// Adds positions, of which the newest of each topic is sent with one of the next batches.
  mutating func add(_ records: [LatestRecord], context: inout Context) {
    for record in records where waiting.count < Limits.fedPositions {
      if isWaiting.insert(record.topic).inserted { waiting.append(record.topic) }
    }
    context.deadlines.schedule(
      .positions, at: context.now.advanced(byMilliseconds: Self.milliseconds))
  }

  /// Sends the next batch.
  mutating func sendDue(
    to devices: [DeviceID], _ records: RecordCache, context: inout Context
  ) {
    let parts = takeBatch(records)
    for device in devices where context.outbox.sendQueues[device]?.queue.count ?? 0 == 0 {
      for part in parts { context.outbox.add(part, to: device) }
      context.expectAnswer(from: device)
    }
    if !waiting.isEmpty {
      context.deadlines.schedule(
        .positions, at: context.now.advanced(byMilliseconds: Self.milliseconds))
    }
  }

  /// Removes the positions of the next batch, and returns it in parts that each fill a datagram.
  private mutating func takeBatch(_ records: RecordCache) -> [PartQueue.Part] {
    var parts: [PartQueue.Part] = []
    var packet = Packet()
    packet.pushed = [PushedRecords(records: [], covered: [])]
    var taken = 0
    func close() {
      guard !packet.pushed[0].records.isEmpty else { return }
      parts.append(PartQueue.Part(packet, importance: .positions, author: nil))
      packet.pushed[0].records = []
    }
    for topic in waiting {
      if let record = records[topic] {
        packet.pushed[0].records.append(record)
        if packet.encoded().count > packetBytes - Self.acknowledgementBytes {
          packet.pushed[0].records.removeLast()
          close()
          guard parts.count < Limits.positionBatchDatagrams else { break }
          packet.pushed[0].records.append(record)
        }
      }
      taken += 1
      isWaiting.remove(topic)
    }
    close()
    waiting.removeFirst(taken)
    return parts
  }

  func checkInvariants() {
    precondition(waiting.count == isWaiting.count, "a topic waits twice")
    precondition(waiting.count <= Limits.fedPositions, "\(waiting.count) positions wait")
  }
}
