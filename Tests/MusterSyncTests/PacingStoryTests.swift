import MusterCrypto
import MusterModel
import Testing

@testable import MusterSync

@Suite("How fast, and how politely")
struct PacingStoryTests {
  /// A founder and members who know one another, on a channel.
  private func world(seed: UInt64, members: Int, _ channel: World.Channel?) -> World {
    var world = SyncStoryTests.world(seed: seed, members: members)
    world.run(seconds: 20)
    world.channel = channel
    return world
  }

  private static let tenMegabits = World.Channel(bitsPerSecond: 10_000_000, queueMilliseconds: 50)

  /// Body bytes a second of a large log that one device fetches of another.
  private func goodput(loss: UInt64, delay: ClosedRange<UInt64>, seed: UInt64) -> (Int, Int) {
    var world = world(seed: seed, members: 1, Self.tenMegabits)
    world.weather = .init(loss: loss, delayMilliseconds: delay)
    world.write(3000, bytes: Limits.framePlaintextBytes, at: 0)
    world.meet(1, 0)
    #expect(world.run(seconds: 20) { $0.frames(1, of: 0) > 100 }, "seed \(seed)")
    let (start, before) = (world.now, world.frames(1, of: 0))
    let sent = world.stations[0].sentBytes
    #expect(world.run(seconds: 60) { $0.frames(1, of: 0) == 3001 }, "seed \(seed)")
    #expect(world.problems == [], "seed \(seed)")
    let bodies = (3001 - before) * Limits.frameBodyBytes
    let rate = bodies * 1_000_000 / Int(world.now.microseconds - start.microseconds)
    return (rate, (world.stations[0].sentBytes - sent) * 100 / bodies)
  }

  /// A datagram of one full frame is 88 % body: so much of ten megabits is 1,100,000 bytes/s.
  @Test(arguments: [1...1, 5...5, 10...10] as [ClosedRange<UInt64>])
  func `a bottleneck of ten megabits is used`(delay: ClosedRange<UInt64>) {
    let (rate, overhead) = goodput(loss: 0, delay: delay, seed: 200)
    #expect(rate >= 1_100_000 * 90 / 100, "\(rate) bytes/s, \(overhead) % sent")
  }

  @Test(arguments: [1...1, 5...5, 10...10] as [ClosedRange<UInt64>])
  func `losing one in a hundred costs little`(delay: ClosedRange<UInt64>) {
    let (rate, overhead) = goodput(loss: 1, delay: delay, seed: 201)
    #expect(rate >= 1_100_000 * 80 / 100, "\(rate) bytes/s, \(overhead) % sent")
  }

  @Test func `a link's rate limit is never exceeded, whatever is queued`() throws {
    // Given three who want a large log over a link of 64 kbit/s
    var world = world(seed: 202, members: 3, nil)
    world.give(.linkRate(LinkRate(bytesPerSecond: 8000)), to: 0)
    world.write(300, bytes: 850, at: 0)
    for index in 1...3 { world.meet(index, 0) }
    world.departures = []
    world.run(seconds: 40)
    let departures = (world.departures ?? []).filter { $0.from == 0 }
    #expect(departures.count > 100)
    // Then no second carries more than the rate and the bucket's two datagrams
    var first = 0
    var bytes = 0
    for departure in departures {
      bytes += departure.bytes + 28
      while departure.at.milliseconds(since: departures[first].at) >= 1000 {
        bytes -= departures[first].bytes + 28
        first += 1
      }
      #expect(bytes <= 8000 + 2 * 1228)
    }
    // and the link is used.
    let all = departures.reduce(0) { $0 + $1.bytes + 28 }
    #expect(all > 40 * 8000 * 9 / 10, "\(all) bytes in 40 s")
    #expect(world.problems == [])
  }

  @Test func `data sent during an outage is retransmitted on the first datagram after it`() {
    // Given two stations that are partitioned for a while, and what one wrote meanwhile
    var world = world(seed: 204, members: 1, nil)
    world.hasMulticast = false
    world.meet(1, 0)
    world.run(seconds: 5)
    world.cut(0, 1)
    let held = world.frames(1, of: 0)
    world.write(1, at: 0)
    world.run(seconds: 3)
    // When the path is up again, and the other sends something
    world.repair(0, 1)
    let opened = world.now
    world.write(1, at: 1)
    // Then it comes on the next crossing, and not when the next timeout has passed.
    #expect(world.run(seconds: 5) { $0.frames(1, of: 0) > held })
    #expect(world.now.milliseconds(since: opened) <= 20)
    #expect(world.problems == [])
  }

  @Test func `what is urgent overtakes a queue of what is not`() {
    var world = world(seed: 203, members: 1, nil)
    world.give(.linkRate(LinkRate(bytesPerSecond: 8000)), to: 0)
    world.write(300, bytes: 850, at: 0)
    world.meet(1, 0)
    world.run(seconds: 10)
    #expect(world.frames(1, of: 0) < 200, "the link is slow")
    world.write(1, in: .urgent, at: 0)
    let start = world.now
    #expect(world.run(seconds: 5) { $0.frames(1, of: 0, in: .urgent) == 2 })
    #expect(world.now.milliseconds(since: start) <= 1000)
    #expect(world.problems == [])
  }

  @Test func `a call for help leaves before a backlog of control and of all else`() {
    // Given two who fetch long logs of every lane over a link of 64 kbit/s
    var world = world(seed: 210, members: 2, nil)
    world.give(.linkRate(LinkRate(bytesPerSecond: 8000)), to: 0)
    for lane in [Lane.control, .state, .history] { world.write(200, bytes: 850, in: lane, at: 0) }
    for index in 1...2 { world.meet(index, 0) }
    world.run(seconds: 10)
    #expect(world.frames(1, of: 0, in: .control) < 150, "the link is slow")
    // When a distress call is sent
    world.write(1, in: .urgent, at: 0)
    world.departures = []
    let start = world.now
    #expect(
      world.run(seconds: 5) { world in
        (1...2).allSatisfy { world.frames($0, of: 0, in: .urgent) == 2 }
      })
    // Then one datagram that was leaving already, one of a class that is owed its share, and the
    // two that call, are all that the link has carried.
    let before = (world.departures ?? []).filter { $0.from == 0 }.map(\.bytes)
    #expect(before.count <= 4, "\(before)")
    #expect(world.now.milliseconds(since: start) <= 600)
    // and control goes on.
    let held = world.frames(1, of: 0, in: .control)
    world.run(seconds: 15)
    #expect(world.frames(1, of: 0, in: .control) > held)
    #expect(world.problems == [])
  }

  @Test func `what is urgent and control take turns, beginning with what is urgent`() {
    var queue = PartQueue()
    for importance in [Outbox.Importance.control, .urgent] {
      for number in 0..<4 {
        let bytes = [UInt8](repeating: UInt8(number), count: packetBytes - 100)
        _ = queue.add(
          .init(importance: importance, author: nil, key: nil, bytes: bytes, isRepeated: false))
      }
    }
    var order: [Outbox.Importance] = []
    while let first = queue.first {
      order.append(first)
      _ = queue.pack(room: packetBytes)
    }
    #expect(
      order == [
        .urgent, .control, .urgent, .control, .urgent, .control, .urgent, .control,
      ])
  }

  /// Body bytes that arrived at a station for each that it kept, in percent beyond.
  private func duplicates(sources: Int, channel: World.Channel?, seed: UInt64) -> (Int64, Int) {
    var world = world(seed: seed, members: sources, nil)
    let reader = sources
    world.write(2000, bytes: 850, at: 0)
    for index in 1..<sources { world.meet(index, 0) }
    #expect(
      world.run(seconds: 60) { world in
        (0..<sources).allSatisfy { world.frames($0, of: 0) == 2001 }
      })
    world.channel = channel
    for index in 0..<sources { world.meet(reader, index) }
    world.departures = []
    let start = world.now
    #expect(world.run(seconds: 120) { $0.frames(reader, of: 0) == 2001 }, "seed \(seed)")
    #expect(world.problems == [], "seed \(seed)")
    let frames = (world.departures ?? []).filter { $0.to == reader && $0.bytes > 900 }.count
    return (world.now.milliseconds(since: start), frames * 100 / 2001 - 100)
  }

  @Test func `catching up fetches nothing twice, from one or from several`() {
    let alone = duplicates(sources: 1, channel: Self.tenMegabits, seed: 204)
    #expect(alone.1 <= 6, "\(alone)")
    let three = duplicates(sources: 3, channel: Self.tenMegabits, seed: 205)
    #expect(three.1 <= 5, "\(three)")
    #expect(three.0 * 2 < alone.0, "\(three.0) ms from three, \(alone.0) ms from one")
  }

  @Test func `a peer that falls silent leaves its part to another`() {
    var world = world(seed: 206, members: 2, nil)
    world.write(2000, bytes: 850, at: 0)
    world.meet(1, 0)
    #expect(world.run(seconds: 60) { $0.frames(1, of: 0) == 2001 })
    world.channel = Self.tenMegabits
    world.meet(2, 0)
    world.meet(2, 1)
    #expect(world.run(seconds: 20) { $0.frames(2, of: 0) > 200 })
    world.cut(0, 2)
    #expect(world.run(seconds: 10) { $0.frames(2, of: 0) == 2001 })
    #expect(world.problems == [])
  }

  @Test func `an unreachable peer is probed every three seconds`() {
    var world = world(seed: 207, members: 1, nil)
    world.meet(1, 0)
    world.run(seconds: 10)
    world.write(200, bytes: 850, at: 0)
    world.run(seconds: 0)
    world.cut(0, 1)
    world.run(seconds: 8)
    let before = world.stations[0].sentDatagrams
    world.run(seconds: 18)
    // Heartbeats and announces among them
    #expect(world.stations[0].sentDatagrams - before <= 18 / 3 + 10)
  }

  /// A founder on a link of 64 kbit/s, and ten members that left while much was on its way to them.
  private func abandoned(seed: UInt64) -> World {
    var world = world(seed: seed, members: 11, nil)
    world.hasMulticast = false
    world.checksInvariants = false
    world.give(.linkRate(LinkRate(bytesPerSecond: 8000)), to: 0)
    for index in 1...11 { world.meet(index, 0) }
    world.run(seconds: 60)
    world.write(230, bytes: 850, at: 0)
    world.run(seconds: 5)
    for index in 1...10 { world.cut(0, index) }
    return world
  }

  @Test func `laptops that left take a tenth of the link at most`() {
    var world = abandoned(seed: 220)
    // The one who stayed receives all that is on its way.
    #expect(world.run(seconds: 120) { $0.frames(11, of: 0) == 231 })
    world.departures = []
    let start = world.now
    world.run(seconds: 100)
    let toAbsent = (world.departures ?? []).filter { $0.from == 0 && $0.to != 11 }
    let bytes = toAbsent.reduce(0) { $0 + $1.bytes + 28 }
    print("silence: \(bytes) bytes in \(world.now.milliseconds(since: start)) ms")
    #expect(bytes <= 8000 * 100 / 10)
    // What is urgent reaches the one who stayed as before,
    world.write(1, in: .urgent, at: 0)
    let called = world.now
    #expect(world.run(seconds: 10) { $0.frames(11, of: 0, in: .urgent) == 2 })
    #expect(world.now.milliseconds(since: called) <= 1000)
    #expect(world.problems == [])
  }

  @Test func `a laptop that returns receives all that waited for it`() {
    var world = abandoned(seed: 221)
    world.run(seconds: 120)
    world.write(1, in: .urgent, at: 0)
    world.run(seconds: 30)
    #expect(world.frames(1, of: 0) < 231 && world.frames(1, of: 0, in: .urgent) < 2)
    // When one is back, and calls for help
    world.repair(0, 1)
    world.write(1, in: .urgent, at: 1)
    let back = world.now
    // Then its call is received at once,
    #expect(world.run(seconds: 30) { $0.frames(0, of: 1, in: .urgent) == 2 })
    #expect(world.now.milliseconds(since: back) <= 100)
    // the call that waited for it comes first, and then the rest.
    #expect(world.run(seconds: 30) { $0.frames(1, of: 0, in: .urgent) == 2 })
    let called = world.now.milliseconds(since: back)
    #expect(world.run(seconds: 120) { $0.frames(1, of: 0) == 231 })
    let rest = world.now.milliseconds(since: back)
    print("return: urgent after \(called) ms, all after \(rest) ms")
    #expect(called <= 1000)
    #expect(rest <= 230 * 1000 * 1000 / 8000 * 2)
    #expect(world.problems == [])
  }

  @Test func `a laptop that returns and is silent itself is soon asked`() {
    var world = abandoned(seed: 222)
    world.run(seconds: 120)
    world.repair(0, 1)
    let back = world.now
    let held = world.frames(1, of: 0)
    #expect(world.run(seconds: 60) { $0.frames(1, of: 0) > held })
    let asked = world.now.milliseconds(since: back)
    print("asked: after \(asked) ms")
    #expect(asked <= 16_000)
    #expect(world.problems == [])
  }

  @Test func `both sides send on the same of two sessions, whichever received last`() throws {
    // Given two who called each other at once, and so have a session each
    var world = world(seed: 211, members: 1, nil)
    world.hasMulticast = false
    for (first, second) in [(0, 1), (1, 0)] { world.meet(first, second) }
    world.run(seconds: 1)
    let devices = world.stations.map(\.local.device)
    let indices = try #require(world.stations[0].engine.context.peers[devices[1]]?.sessions)
    #expect(indices.count == 2)
    // When something comes on one of them that was sent while the sender spoke on the other
    for index in indices {
      var packet = Packet()
      packet.roots = world.stations[0].engine.context.logs.roots()
      let late = world.stations[0].engine.context.sessions[index]?.seal(packet.encoded())
      world.inject(try #require(late), from: world.stations[0].endpoint, to: 1)
      // Then neither changes the session. Otherwise both would alternate, and retransmit everything
      // each time.
      let spokenOn = try (0...1).map { side in
        let engine = world.stations[side].engine
        let live = try #require(engine.context.liveSession(of: devices[1 - side]))
        return try #require(engine.context.sessions[live]?.sharedOrder.0)
      }
      #expect(spokenOn[0] == spokenOn[1])
    }
    #expect(world.problems == [])
  }

  @Test func `two who met close by, and then have seconds each way, come into step all the same`() {
    // Given two who called each other at once over a way of milliseconds
    var world = world(seed: 212, members: 1, nil)
    for (first, second) in [(0, 1), (1, 0)] { world.meet(first, second) }
    world.run(seconds: 20)
    // When the RTT is three to four seconds, and both have much to send
    world.weather = .init(delayMilliseconds: 3000...4000)
    for index in 0..<2 { world.write(100, bytes: 150, at: index) }
    // Then old RTT samples do not delay anything for long.
    #expect(world.run(seconds: 150) { $0.haveConverged })
    #expect(world.problems == [])
  }

  @Test func `little is sent if nothing arrives, although the peer is received`() {
    var sendQueue = SendQueue()
    var now = Instant(microseconds: 0)
    for number in 0..<40 {
      let bytes = [UInt8](repeating: UInt8(number), count: packetBytes)
      _ = sendQueue.queue.add(
        .init(importance: .state, author: nil, key: nil, bytes: bytes, isRepeated: true))
    }
    var counter: UInt64 = 0
    /// So many datagrams leave in so many seconds.
    func sent(seconds: Int64) -> Int {
      var count = 0
      let end = now.advanced(byMilliseconds: seconds * 1000)
      while now < end {
        sendQueue.noteReceived(skipped: 0, now: now)
        sendQueue.passDeadline(now: now)
        while case .now = sendQueue.permission(now: now) {
          sendQueue.use(1, isOverTCP: false)
          let packed = sendQueue.queue.pack(room: packetBytes)
          sendQueue.noteSent(
            counter, on: 1, size: CongestionWindow.datagram, parts: packed.numbers, now: now)
          counter += 1
          count += 1
        }
        now = now.advanced(byMilliseconds: 10)
      }
      return count
    }
    // At first as if the way were bad,
    #expect(sent(seconds: 10) >= 20)
    // but not for ever.
    _ = sent(seconds: 60)
    #expect(sent(seconds: 80) <= 200)
  }

  /// In simulated time.
  @Test(arguments: [(30, 30), (70, 300), (90, 1800)])
  func `a backlog spreads over a bad network`(loss: UInt64, seconds: Int64) {
    var world = world(seed: 208, members: 7, nil)
    for index in 0..<8 { world.write(125, bytes: 150, at: index) }
    world.weather = .init(loss: loss, delayMilliseconds: 2...20)
    for first in 0..<8 { for second in first + 1..<8 { world.meet(first, second) } }
    #expect(world.run(seconds: seconds) { $0.haveConverged })
    #expect(world.problems == [])
  }

  @Test func `twenty-five strangers on one slow channel come into step`() {
    // Given devices of which one alone knows everybody's certificate
    var world = World(seed: 209)
    world.checksInvariants = false
    world.channel = World.Channel(
      bitsPerSecond: 64_000, queueMilliseconds: 4000, isShared: true)
    world.found()
    for _ in 1..<25 { world.enrol(.member) }
    for index in 0..<25 { world.give(.linkRate(LinkRate(bytesPerSecond: 8000)), to: index) }
    // When all begin at once
    let start = world.now
    let came = world.run(seconds: 150) { $0.haveConverged }
    let steps = world.stations.reduce(0) { $0 + $1.steps }
    let sent = world.stations.reduce(0) { $0 + $1.wireBytes }
    print("strangers: \(world.now.milliseconds(since: start)) ms, \(steps) steps, \(sent) bytes")
    #expect(came)
    #expect(world.problems == [])
  }
}
