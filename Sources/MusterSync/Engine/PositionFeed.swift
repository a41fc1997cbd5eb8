internal import MusterModel

/// Positions of others on their way to the peers on uplinks, in an operation with too many of them
/// to push each position to all at once.
///
///     position ─▶ waits, once for each topic ── every second ─▶ the newest ones as one batch,
///                 in the line of its author                     the same for all peers
///
/// Authors have turns of one datagram, so that each has its turn soon, however many trackers
/// another one records, and however large. A peer that has anything queued or unacknowledged gets
/// none of a batch: reports and alarms go first, and positions pile up neither on a slow uplink nor
/// at a peer that is busy. What a peer misses, a later turn or a digest brings.
///
/// Peers that accept uplinks get a position at once, and by the batch what replaced it since.
///
/// Invariants: a topic waits once; at most `Limits.fedPositions` wait; `order` has each author with
/// a topic that waits, once.
struct PositionFeed: Sendable {
  static let milliseconds: Int64 = 1000
  /// Room in a datagram for the acknowledgement that goes with it.
  private static let acknowledgementBytes = 40

  private var lines: [CertificateHash: [RecordTopic]] = [:]
  /// Authors, the next one first.
  private var order: [CertificateHash] = []
  /// Topics that wait, and whether a position of each was replaced since then.
  private var waiting: [RecordTopic: Bool] = [:]

  /// Adds positions, of which the newest of each topic is sent with one of the next batches.
  ///
  /// - Returns: whether all of them replace positions that wait.
  mutating func add(_ records: [LatestRecord], context: inout Context) -> Bool {
    var areRepeated = true
    for record in records {
      guard waiting[record.topic] == nil else {
        waiting[record.topic] = true
        continue
      }
      areRepeated = false
      guard waiting.count < Limits.fedPositions else { continue }
      waiting[record.topic] = false
      if lines[record.certificate] == nil { order.append(record.certificate) }
      lines[record.certificate, default: []].append(record.topic)
    }
    context.deadlines.schedule(
      .positions, at: context.now.advanced(byMilliseconds: Self.milliseconds))
    return areRepeated
  }

  /// Sends the next batch.
  ///
  /// - Parameter servers: peers that got each position at once, unless it was a repeated one.
  mutating func sendDue(
    to clients: [DeviceID], servers: [DeviceID], _ records: RecordCache, context: inout Context
  ) {
    let (batch, repeated) = takeBatch(records, context: context)
    Self.send(batch, to: clients, context: &context)
    Self.send(Self.parts(of: repeated), to: servers, context: &context)
    if !order.isEmpty {
      context.deadlines.schedule(
        .positions, at: context.now.advanced(byMilliseconds: Self.milliseconds))
    }
  }

  private static func send(
    _ parts: [PartQueue.Part], to devices: [DeviceID], context: inout Context
  ) {
    guard !parts.isEmpty else { return }
    for device in devices where context.outbox.sendQueues[device]?.queue.count ?? 0 == 0 {
      for part in parts { context.outbox.add(part, to: device) }
      context.expectAnswer(from: device)
    }
  }

  /// Removes the positions of the next batch, and returns it in parts that each fill a datagram,
  /// and those of it that replaced others.
  private mutating func takeBatch(
    _ records: RecordCache, context: Context
  ) -> (batch: [PartQueue.Part], repeated: [LatestRecord]) {
    var (parts, batch, size) = ([PartQueue.Part](), [LatestRecord](), 0)
    var repeated: [LatestRecord] = []
    while let author = order.first {
      var turn = 0
      while let topic = lines[author]?.first {
        // That of a device that was revoked since counts nowhere.
        let record = context.roster[author] == nil ? nil : records[topic]
        // Together, records take no more room than each by itself.
        let alone = Self.parts(of: record.map { [$0] } ?? []).reduce(0) { $0 + $1.bytes.count }
        guard turn == 0 || turn + alone <= packetBytes else { break }
        if size + alone > packetBytes - Self.acknowledgementBytes {
          parts += Self.parts(of: batch)
          (batch, size) = ([], 0)
          guard parts.count < Limits.positionBatchDatagrams else { return (parts, repeated) }
        }
        if let record {
          batch.append(record)
          if waiting[topic] == true { repeated.append(record) }
        }
        (size, turn) = (size + alone, turn + alone)
        waiting[topic] = nil
        lines[author]?.removeFirst()
      }
      order.removeFirst()
      if lines[author]?.isEmpty == true { lines[author] = nil } else { order.append(author) }
    }
    return (parts + Self.parts(of: batch), repeated)
  }

  private static func parts(of records: [LatestRecord]) -> [PartQueue.Part] {
    Packet.pushing(records, covered: []).map {
      PartQueue.Part($0, importance: .positions, author: nil)
    }
  }

  func checkInvariants() {
    let topics = lines.values.joined()
    precondition(topics.count == waiting.count, "a topic waits twice")
    precondition(topics.allSatisfy { waiting[$0] != nil }, "a topic waits in no line")
    precondition(Set(order) == Set(lines.keys), "an author has no turn")
    precondition(order.count == lines.count, "an author has two turns")
    precondition(waiting.count <= Limits.fedPositions, "\(waiting.count) positions wait")
  }
}
