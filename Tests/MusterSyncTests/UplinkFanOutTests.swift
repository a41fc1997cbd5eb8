import MusterModel
import Testing

@testable import MusterSync

/// Command posts and instances of an archive, to which hundreds of devices have an uplink and no
/// other path.
@Suite("Fan-out over uplinks")
struct UplinkFanOutTests {
  @Test func `a write reaches every device on an uplink at once, through two posts`() {
    // Given two posts with more devices each than a write is pushed to on other paths
    var uplinks = Uplinks(seed: 330, posts: 2, devices: 2 * (Limits.pushFanOut + 8))
    uplinks.run(seconds: 100)
    let before = uplinks.world.stations.map(\.sentDatagrams)
    // When one device writes
    uplinks.write(at: 2)
    // Then all have it before any time has passed,
    #expect(uplinks.devicesWithout(writeOf: 2) == [])
    // for one datagram each, and an acknowledgement.
    let devices = uplinks.world.stations.count / 2
    for post in 0..<2 {
      #expect(uplinks.world.stations[post].sentDatagrams - before[post] <= devices + 2)
    }
    #expect(uplinks.world.problems == [])
  }

  @Test func `hundreds of devices that connect at once all get a session`() {
    // Given more devices than a post once had room for, all slow to finish their handshakes
    var uplinks = Uplinks(seed: 333, strangers: 280)
    uplinks.connectAtOnce()
    // Then none of them has to begin again.
    let post = uplinks.world.stations[0]
    #expect(post.engine.context.peers.connected.count == 280)
    #expect(post.rejections(.unauthenticated) == 0)
    #expect(uplinks.world.problems == [])
  }

  @Test func `receipts go to every device on an uplink at once`() {
    var uplinks = Uplinks(seed: 331, posts: 1, devices: Limits.pushFanOut + 8)
    uplinks.run(seconds: 100)
    uplinks.give(.recorded([uplinks.receipt()]), to: 0)
    uplinks.settle()
    #expect(uplinks.devicesWithRecord(of: 0) == uplinks.world.stations.count - 1)
    #expect(uplinks.world.problems == [])
  }

  @Test func `no device misses a receipt because it shares its short tag with another`() {
    // Given two posts, each with so few devices that tags count
    var uplinks = Uplinks(seed: 337, posts: 2, devices: 2 * (Limits.pushFanOut + 8))
    uplinks.run(seconds: 100)
    // When one gives receipts about many logs, each of which gives every device another tag,
    let receipts = (1...120).map { uplinks.receipt(number: $0) }
    for receipt in receipts {
      uplinks.give(.recorded([receipt]), to: 0)
      uplinks.settle()
    }
    // then all devices have all of them before any time has passed.
    let short = uplinks.world.stations.indices.dropFirst().filter { station in
      uplinks.world.stations[station].engine.records(by: receipts[0].certificate).count < 120
    }
    #expect(short == [])
    // The devices of several of these receipts do share tags.
    let sharing = receipts.filter { receipt in
      let devices = uplinks.world.stations.map(\.local.device)
      return Set(devices.map { DeviceTag($0, about: receipt.topic.raw) }).count < devices.count
    }
    #expect(sharing.count > 0)
    #expect(uplinks.world.problems == [])
  }

  @Test func `a device that floods delays no other, and costs each device few datagrams`() {
    var uplinks = Uplinks(seed: 338, posts: 2, devices: 2 * (Limits.pushFanOut + 8))
    uplinks.run(seconds: 100)
    let all = uplinks.world.stations.indices
    let before = uplinks.world.stations.map(\.sentDatagrams)
    // When a device writes forty times a second
    for second in 0..<5 {
      for step in 0..<5 {
        for _ in 0..<8 { uplinks.write(at: 2) }
        if step == 3 {
          // and another one now and then,
          uplinks.write(at: 3)
          let missing = all.filter { uplinks.world.frames($0, of: 3) < second + 2 }
          #expect(missing == [], "second \(second)")
        }
        uplinks.run(milliseconds: 200)
      }
    }
    // then every device has what the other one wrote before any time has passed,
    let sent = (0..<2).map { uplinks.world.stations[$0].sentDatagrams - before[$0] }
    let devices = all.count / 2
    for post in sent {
      // the flood leaves in eight datagrams a second at most, and acknowledgements,
      #expect(post <= 5 * devices * 10 + 600, "\(sent)")
    }
    // and all of it has arrived two seconds after it ended.
    uplinks.run(seconds: 2)
    #expect(all.filter { uplinks.world.frames($0, of: 2) < 201 } == [])
    #expect(uplinks.world.problems == [])
  }

  @Test func `frames that come together go to every device in one turn, encoded once`() {
    var uplinks = Uplinks(seed: 339, posts: 2, devices: 2 * (Limits.pushFanOut + 8))
    uplinks.run(seconds: 100)
    // When a device writes more frames than are pushed one by one
    uplinks.write(at: 2, 5 * Limits.pushedFrames)
    uplinks.run(seconds: 1)
    // Then all have them, and none but its post had to request any.
    #expect(
      uplinks.world.stations.indices.filter {
        uplinks.world.frames($0, of: 2) < 1 + 5 * Limits.pushedFrames
      } == [])
    let wanted = uplinks.world.stations.map { $0.fetches }
    #expect(wanted.dropFirst(3).allSatisfy { $0 == 0 }, "\(wanted)")
    #expect(wanted.prefix(3).allSatisfy { $0 <= 2 }, "\(wanted)")
    #expect(uplinks.world.problems == [])
  }

  @Test func `a flood does not pile up on an uplink that stalls`() {
    var uplinks = Uplinks(seed: 340, posts: 1, devices: Limits.pushFanOut + 8)
    uplinks.run(seconds: 100)
    uplinks.stall(1)
    for _ in 0..<200 {
      for _ in 0..<8 { uplinks.write(at: 2) }
      uplinks.run(milliseconds: 200)
    }
    // Then few parts wait for it, and the window is on its way,
    let queue = uplinks.world.stations[0].engine.context.outbox.sendQueues[
      uplinks.world.stations[1].local.device]?.queue
    #expect(queue?.waiting ?? 0 <= Limits.partsBeforeFeed + 8, "\(queue?.waiting ?? 0) parts")
    // and after it recovers, the device has everything soon.
    uplinks.resume()
    uplinks.run(seconds: 5)
    #expect(uplinks.world.frames(1, of: 2) == 1601)
    #expect(uplinks.world.problems == [])
  }

  @Test(arguments: [Limits.coveredDevices / 2, Limits.coveredDevices + 8])
  func `short tags count among few devices, where none is named by chance`(count: Int) {
    // Given a write whose sender names half of the devices as covered
    var uplinks = Uplinks(seed: 332, posts: 1, devices: count)
    uplinks.run(seconds: 100)
    let named = Array(2..<uplinks.world.stations.count / 2)
    // When it arrives at the post
    uplinks.push(from: 1, covering: named)
    // Then they are left out, unless there are so many that a tag proves nothing.
    #expect(uplinks.devicesWithout(writeOf: 1) == (count < Limits.coveredDevices ? named : []))
    #expect(uplinks.world.problems == [])
  }
}
