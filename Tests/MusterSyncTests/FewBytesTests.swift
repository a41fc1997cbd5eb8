import MusterModel
import Testing

@testable import MusterSync

/// What keeps small updates small: nothing is sent twice, and what can be implied is omitted.
@Suite("Few bytes")
struct FewBytesTests {
  private func sent(_ count: UInt64) -> SentDatagrams {
    var sent = SentDatagrams()
    for counter in 0..<count {
      sent.add(.init(counter: counter, at: Instant(microseconds: 0), size: 100, parts: [counter]))
    }
    return sent
  }

  @Test func `an acknowledgement that names a later datagram which needs none counts`() {
    // Given two datagrams to be acknowledged, after which one left that is not
    var sent = sent(2)
    // When the other side names that one as the greatest that came
    let change = sent.acknowledge(
      Acknowledgement(largest: 2, delayMicroseconds: 0, before: .max, holdsRuns: false),
      nextCounter: 3,
      roundTrip: RoundTrip(), now: Instant(microseconds: 1000))
    // Then both are known to have come, and nothing is sent again.
    #expect(change.acknowledged.map(\.counter).sorted() == [0, 1])
    #expect(sent.bytesUnderWay == 0)
  }

  @Test func `an acknowledgement of what never left is passed over`() {
    var sent = sent(2)
    let change = sent.acknowledge(
      Acknowledgement(largest: 3, delayMicroseconds: 0, before: .max, holdsRuns: false),
      nextCounter: 3,
      roundTrip: RoundTrip(), now: Instant(microseconds: 1000))
    #expect(change.acknowledged.isEmpty)
    #expect(sent.bytesUnderWay == 200)
  }

  @Test(arguments: [0, 1, 5, 127, 128, 129, 1 << 40] as [UInt64])
  func `an acknowledgement of everything is short`(largest: UInt64) throws {
    let cast = Cast(seed: 700)
    var received = ReceivedCounters()
    let now = Instant(microseconds: 5)
    let first = largest > 200 ? largest - 200 : 0
    for counter in first...largest { received.note(counter, isToBeAcknowledged: true, now: now) }
    var packet = Packet()
    packet.acknowledgement = received.take(now: now, lossPercent: 0, holdsRuns: false)
    #expect(packet.encoded().count <= 11, "largest \(largest)")
    let read = try Packet(decoding: packet.encoded(), operation: cast.operation)
    let acknowledgement = try #require(read.acknowledgement)
    for counter in first...largest where largest - counter <= 128 {
      #expect(acknowledgement.covers(counter), "\(counter) of \(largest)")
    }
  }

  @Test func `an acknowledgement lists what is missing`() throws {
    let cast = Cast(seed: 701)
    var received = ReceivedCounters()
    let now = Instant(microseconds: 5)
    for counter in [3, 4, 7, 9] as [UInt64] {
      received.note(counter, isToBeAcknowledged: true, now: now)
    }
    var packet = Packet()
    packet.acknowledgement = received.take(now: now, lossPercent: 0, holdsRuns: false)
    let read = try Packet(decoding: packet.encoded(), operation: cast.operation)
    let acknowledgement = try #require(read.acknowledgement)
    #expect((0...9).filter { acknowledgement.covers($0) } == [3, 4, 7, 9])
  }

  @Test func `in a stream an acknowledgement waits as long as datagrams follow one another`() {
    // Given a stream of a datagram each 8 ms
    var received = ReceivedCounters()
    var now = Instant(microseconds: 0)
    var counter: UInt64 = 0
    var taken: [UInt64] = []
    func arrive(_ count: Int) {
      for _ in 0..<count {
        now = now.advanced(byMilliseconds: 8)
        received.note(counter, isToBeAcknowledged: true, now: now)
        counter += 1
        if let due = received.dueAt, due <= now.advanced(byMilliseconds: 7),
          received.take(now: max(due, now), lossPercent: 0, holdsRuns: false) != nil
        {
          taken.append(counter)
        }
      }
    }
    arrive(32)
    // Then every thirteenth is acknowledged, 100 ms after the first,
    taken = []
    arrive(130)
    #expect(taken.count == 10)
    // the last one soon,
    arrive(2)
    let due = received.dueAt
    #expect(due == now.advanced(byMicroseconds: RoundTrip.acknowledgementDelay))
    // and a loss at once.
    counter += 1
    taken = []
    arrive(1)
    #expect(taken.count == 1)
  }

  // MARK: Runs

  private static func part(_ frames: [Frame], pushed: Bool = true) -> PartQueue.Part {
    var packet = Packet()
    packet.runs = [
      Run(
        log: frames[0].log, first: frames[0].sequence,
        previous: frames[0].sequence > 0 && pushed ? frames[0].previous : nil,
        frames: frames.map { RunFrame(epoch: $0.epoch, body: $0.body, signature: $0.signature) })
    ]
    return PartQueue.Part(packet, importance: .state, author: nil)
  }

  @Test func `frames written one by one leave as one run while they wait`() throws {
    // Given six frames that were pushed one by one and wait for a peer
    var cast = Cast(seed: 702)
    var pen = Pen(cast.enrol(.member), epoch: cast.epoch, seed: 1)
    let frames = pen.write(5, in: .state).1
    var queue = PartQueue()
    for frame in frames { _ = queue.add(Self.part([frame])) }
    #expect(queue.next(of: frames[0].log, after: 0) == 6)
    // When they leave
    let (bytes, numbers) = queue.pack(room: packetBytes)
    // Then they are one run, which names its log and its epoch once, with the signatures that every
    // holder keeps and the last one's.
    let runs = try Packet(decoding: bytes, operation: cast.operation).runs
    #expect(runs.count == 1 && numbers.count == 1)
    #expect(runs[0].frames.map(\.body) == frames.map(\.body))
    #expect(runs[0].frames.map(\.epoch) == frames.map(\.epoch))
    #expect(runs[0].frames.map { $0.signature != nil } == [true, false, false, false, false, true])
    #expect(bytes.count <= frames.reduce(0) { $0 + $1.body.count + 6 } + 2 * 66 + 18 + 26)
    // And what was lost of several datagrams leaves as one.
    _ = queue.add(Self.part(pen.write(1, in: .state).1))
    let more = queue.pack(room: packetBytes).numbers
    queue.repeatParts(numbers + more, first: true)
    let again = try Packet(decoding: queue.pack(room: packetBytes).bytes, operation: cast.operation)
    #expect(again.runs.map(\.frames.count) == [7])
    #expect(queue.next(of: frames[0].log, after: 2) == 7)
  }

  @Test func `runs that do not follow one another, or fit no datagram, stay apart`() throws {
    var cast = Cast(seed: 703)
    var pen = Pen(cast.enrol(.member), epoch: cast.epoch, seed: 1)
    let frames = pen.write(4, bytes: 400, in: .state).1
    var queue = PartQueue()
    for index in [0, 2, 3, 4] { _ = queue.add(Self.part([frames[index]])) }
    #expect(queue.waiting == 3)
    #expect(queue.next(of: frames[0].log, after: 0) == 1)
    #expect(queue.next(of: frames[0].log, after: 2) == 5)
  }

  @Test func `a clear frame after a sealed one reads back as clear`() throws {
    var cast = Cast(seed: 704)
    let log = LogID(raw: cast.random.bytes16())
    let other = EpochID(raw: cast.random.bytes16())
    let epochs = [nil, cast.epoch.id, cast.epoch.id, nil, nil, other, cast.epoch.id]
    var packet = Packet()
    packet.runs = [
      Run(
        log: log, first: 4, previous: FrameHash.none,
        frames: epochs.map { RunFrame(epoch: $0, body: [1], signature: nil) })
    ]
    #expect(try Packet(decoding: packet.encoded(), operation: cast.operation) == packet)
  }

  @Test func `a record in flight is sent again only if there is a newer one`() throws {
    var cast = Cast(seed: 708)
    let local = cast.enrol(.command)
    let incarnation = Incarnation(raw: cast.random.bytes16())
    let log = LogID(raw: cast.random.bytes16())
    func part(_ counter: UInt64, isPushed: Bool) -> PartQueue.Part {
      let head = Head(log: log, sequence: counter, hash: FrameHash(raw: .zero))
      let record = LatestRecord.receipt(
        Receipt(log: log, head: head), operation: local.operation,
        certificate: local.certificate.hash,
        order: RecordOrder(generation: 1, incarnation: incarnation, counter: counter),
        signedBy: local.signingKey)
      var packet = Packet()
      if isPushed {
        packet.pushed = [PushedRecords(records: [record])]
      } else {
        packet.records = [record]
      }
      return PartQueue.Part(packet, importance: Outbox.Importance([record]), author: nil)
    }
    // Given one that was pushed and is not acknowledged yet
    var queue = PartQueue()
    _ = queue.add(part(7, isPushed: true))
    let underWay = queue.pack(room: packetBytes).numbers
    #expect(underWay.count == 1)
    // When a comparison finds that it is missing, then it is not sent a second time
    _ = queue.add(part(7, isPushed: false))
    #expect(queue.waiting == 0)
    // but the next one is, and the one before it no more.
    _ = queue.add(part(8, isPushed: false))
    #expect(queue.first == .receipts)
    queue.repeatParts(underWay, first: true)
    #expect(queue.waiting == 1)
  }

  @Test func `receipts given together name their giver once, and fit a multicast`() throws {
    var cast = Cast(seed: 707)
    let local = cast.enrol(.command)
    let incarnation = Incarnation(raw: cast.random.bytes16())
    let receipts = (0..<6).map { counter in
      let log = LogID(raw: cast.random.bytes16())
      let head = Head(log: log, sequence: Limits.lastSequence, hash: FrameHash(raw: .zero))
      return LatestRecord.receipt(
        Receipt(log: log, head: head), operation: local.operation,
        certificate: local.certificate.hash,
        order: RecordOrder(
          generation: Limits.lastGeneration, incarnation: incarnation,
          counter: 1 << 40 + UInt64(counter)), signedBy: local.signingKey)
    }
    var packet = Packet()
    packet.pushed = [PushedRecords(records: receipts)]
    #expect(packet.encoded().count <= 190 + 5 * 136)
    #expect(try Packet(decoding: packet.encoded(), operation: local.operation) == packet)
    var announce = Announce(certificate: 1, incarnation: 2, counter: .max)
    announce.records = receipts
    announce.covered = Set((0..<Limits.coveredDevices).map { DeviceTag(raw: UInt16($0)) })
    let sealed = announce.datagram(
      rules: .current, operation: local.operation, networkKey: local.networkKey,
      nonce: cast.random.nonce24(), signedBy: local.signingKey)
    #expect(sealed.count <= Limits.datagramBytes)
    // The first of a list has no predecessor.
    var wires = LatestRecord.wires(receipts)
    wires.removeFirst()
    #expect(throws: WireError.malformed("record")) {
      try LatestRecord.decode(wires, operation: local.operation)
    }
  }

  @Test func `a full frame is pushed by multicast, and four of them too`() {
    // Given devices that receive one another's multicast and have no session
    var world = World(seed: 705)
    world.found()
    for _ in 0..<3 { world.cast(.member) }
    world.share()
    world.write(1, at: 1)
    world.run(seconds: 60)
    // When one writes frames as large as they come
    for count in [1, 4] {
      let start = world.now
      world.write(count, bytes: Limits.framePlaintextBytes, at: 1)
      // Then all have them after one hop.
      #expect(world.run(seconds: 5) { $0.haveConverged })
      #expect(world.now.milliseconds(since: start) <= 5, "\(count) frames")
    }
    #expect(world.problems == [])
  }

  @Test func `devices have tags of two bytes, which differ by log`() {
    var random = Cast(seed: 706).random
    let devices = (0..<200).map { _ in DeviceID(raw: random.bytes16()) }
    var most = 0
    for _ in 0..<50 {
      let log = random.bytes16()
      most = max(most, 200 - Set(devices.map { DeviceTag($0, about: log) }).count)
    }
    #expect(most <= 4)
  }
}
