import MusterModel
import Testing

@testable import MusterSync

/// Positions of an operation with more devices on uplinks than a position is pushed to at once.
@Suite("Positions over uplinks")
struct UplinkPositionTests {
  @Test func `positions go to every device on an uplink within a second, through two posts`() {
    var uplinks = Uplinks(seed: 336, posts: 2, devices: 2 * (Limits.pushFanOut + 8))
    uplinks.run(seconds: 100)
    let others = uplinks.world.stations.count - 1
    // When devices publish positions, one of them several,
    let before = uplinks.world.stations.map(\.sentDatagrams)
    for counter: UInt64 in 1...3 { uplinks.position(at: 2, counter) }
    for device in 3...5 { uplinks.position(at: device, 1) }
    #expect(uplinks.devicesWithRecord(of: 2) == 2, "the posts, at once")
    uplinks.run(seconds: 1)
    // Then all have positions of each a second later,
    for device in 2...5 { #expect(uplinks.devicesWithRecord(of: device) == others) }
    // by one datagram each, beside those of the posts to each other and acknowledgements.
    for post in 0..<2 {
      let sent = uplinks.world.stations[post].sentDatagrams - before[post]
      #expect(sent <= others / 2 + 24)
    }
    // and those of the other post what replaced one within the second, a second after that.
    uplinks.run(seconds: 1)
    #expect(uplinks.devices(with: uplinks.world.stations[2].position(3)) == others)
    #expect(uplinks.world.problems == [])
  }

  @Test func `of more positions than fit a second all have their turn`() {
    var uplinks = Uplinks(seed: 334, posts: 1, devices: 60)
    uplinks.run(seconds: 100)
    let begun = uplinks.world.stations[0].sentBytes
    // When every device publishes a position in each of six seconds
    for second in 1...6 {
      for device in 1...60 { uplinks.position(at: device, UInt64(second)) }
      uplinks.run(seconds: 1)
    }
    // Then no device is sent more than the bound, beside what digests bring,
    let sent = (uplinks.world.stations[0].sentBytes - begun) / 60
    #expect(sent < 9 * Uplinks.batchBytes, "\(sent) bytes to each device")
    // and holds a position of each other that is few seconds old.
    for device in 1...60 {
      let recent = [3, 4, 5, 6].map { uplinks.world.stations[device].position($0) }
      #expect(uplinks.devices(withAnyOf: recent) == 60)
    }
    #expect(uplinks.world.problems == [])
  }

  @Test func `one who records many trackers does not delay the positions of others`() {
    var uplinks = Uplinks(seed: 341, posts: 1, devices: 60)
    uplinks.run(seconds: 100)
    // When a device publishes as many trackers as it may, again and again, and then all others move
    for second in 1...4 {
      uplinks.give(.recorded(uplinks.trackers(of: 1, UInt64(second))), to: 1)
      uplinks.settle()
      if second == 2 { for device in 2...60 { uplinks.position(at: device, 1) } }
      uplinks.run(seconds: 1)
    }
    // Then everybody has the positions of the others within three seconds.
    for device in 2...60 {
      #expect(uplinks.devices(with: uplinks.world.stations[device].position(1)) == 60)
    }
    #expect(uplinks.world.problems == [])
  }

  @Test func `one who moves all the time costs another post two positions a second at most`() {
    var uplinks = Uplinks(seed: 342, posts: 2, devices: 2 * (Limits.pushFanOut + 8))
    uplinks.run(seconds: 100)
    let others = uplinks.world.stations.count - 1
    // When a device publishes fifty positions a second
    let sent = uplinks.sent(from: 0, to: 1)
    for step in 0..<25 {
      for number in 1...10 { uplinks.position(at: 2, UInt64(step * 10 + number)) }
      uplinks.run(milliseconds: 200)
    }
    // Then its post sends few of them to the other one,
    let passed = uplinks.sent(from: 0, to: 1) - sent
    #expect(passed <= 5 * 4 + 8, "\(passed) datagrams")
    // and the newest one reaches everybody.
    uplinks.run(seconds: 2)
    #expect(uplinks.devices(with: uplinks.world.stations[2].position(250)) == others)
    #expect(uplinks.world.problems == [])
  }

  @Test func `positions of a device that was revoked leave with no batch`() {
    var uplinks = Uplinks(seed: 343, posts: 1, devices: Limits.pushFanOut + 8)
    uplinks.run(seconds: 100)
    // Given a position that waits for its batch
    uplinks.position(at: 1, 1)
    uplinks.position(at: 2, 1)
    #expect(uplinks.devicesWithRecord(of: 1) == 1)
    // When its author is revoked
    uplinks.revoke(1, at: 0)
    uplinks.run(seconds: 2)
    // Then all get that of another one, but not its, apart from a few that just compared records.
    #expect(uplinks.devicesWithRecord(of: 2) == uplinks.world.stations.count - 1)
    #expect(uplinks.devicesWithRecord(of: 1) < 8)
  }

  @Test func `replayed, older and forged positions in a batch change nothing`() {
    var uplinks = Uplinks(seed: 344, posts: 1, devices: Limits.pushFanOut + 8)
    uplinks.run(seconds: 100)
    for counter: UInt64 in 1...2 { uplinks.position(at: 2, counter) }
    uplinks.run(seconds: 1)
    let (old, new) = (
      uplinks.world.stations[2].position(1), uplinks.world.stations[2].position(2)
    )
    let other = uplinks.world.stations[3].position(1)
    let before = uplinks.world.stations.map(\.sentDatagrams)
    // When a device sends an older position, the same one, one signed by itself, and a right one
    uplinks.push(from: 1, records: [old, new, uplinks.forged(by: 1, as: 3), other])
    uplinks.run(seconds: 1)
    // Then the post passes on the right one alone, in one datagram to each,
    let all = uplinks.world.stations.count - 1
    #expect(uplinks.devices(with: new) == all)
    #expect(uplinks.devices(with: old) == 0)
    #expect(uplinks.devices(with: other) >= all - 1, "all but perhaps its author")
    #expect(uplinks.world.stations[0].sentDatagrams - before[0] <= all + 8)
    // and rejects the forged one.
    #expect(uplinks.world.stations[0].rejections(.forged) == 1)
    #expect(uplinks.world.problems == [])
  }

  @Test func `positions do not pile up on an uplink that stalls, and a report passes them`() {
    var uplinks = Uplinks(seed: 335, posts: 1, devices: Limits.pushFanOut + 8)
    uplinks.run(seconds: 100)
    // When the uplink of a device stalls while all others move
    uplinks.stall(1)
    for second in 1...20 {
      for device in 2...30 { uplinks.position(at: device, UInt64(second)) }
      uplinks.run(seconds: 1)
    }
    // Then one batch is on its way to it, and nothing waits.
    #expect(
      uplinks.stalledBytes <= Uplinks.batchBytes + 4096, "\(uplinks.stalledBytes) bytes")
    let queue = uplinks.world.stations[0].engine.context.outbox.sendQueues[
      uplinks.world.stations[1].local.device]?.queue
    #expect(queue?.waitingBytes ?? 0 <= 1024)
    // When a report is written and the uplink recovers, it has the report,
    uplinks.write(at: 2)
    uplinks.resume()
    #expect(uplinks.devicesWithout(writeOf: 2) == [])
    // and the newest positions three seconds after.
    for device in 2...30 { uplinks.position(at: device, 61) }
    uplinks.run(seconds: 3)
    for device in 2...30 {
      #expect(
        uplinks.devices(with: uplinks.world.stations[device].position(61))
          == uplinks.world.stations.count - 1)
    }
    #expect(uplinks.world.problems == [])
  }
}
