import MusterAttackers
import MusterModel
import MusterSync
import MusterTestKit
import Testing

@testable import MusterReplica

/// Law 2 of insiders (decision 0105): equal roots mean equal content. A modified program signs two
/// records with one order, and gives one to each of two laptops; both together are evidence.
@Suite("Two records of one order")
struct TwinRecordTests {
  @Test(arguments: [false, true])
  func `two laptops that were given different positions show one of them`(isReversed: Bool) throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.join("Mia", invitedBy: "Ada")
    try valley.join("Oda", invitedBy: "Ada", role: .observer)
    try valley.converge()
    // Given Mia, who gives Ada one place and Ben another, under one counter,
    let places = [
      try #require(Coordinate(latitude: 46.5, longitude: 7.5)),
      try #require(Coordinate(latitude: 47, longitude: 8)),
    ]
    let twins = try valley.ask("Mia") { MaliciousMember.twins(&$0, at: places, now: $1) }
    try #require(twins.count == 2)
    try valley.switchOff("Mia")
    valley.cut(["Ada"], ["Ben"])
    valley.cut(["Ada", "Ben"], ["Oda"])
    for (reader, twin) in zip(["Ada", "Ben"], isReversed ? twins.reversed() : twins) {
      try valley.at(reader) { replica, now in
        try ModifiedProgram.change(&replica, now: now) {
          try $0.core.run(.carried(.records([twin])), now: now)
        }
      }
      let held = try valley.ask(reader) { replica, _ in replica.core.engine.record(twin.topic) }
      try #require(held == twin)
    }
    try valley.run(milliseconds: 5_000)
    // when they meet, both hold and show the same one, also after restarts.
    valley.heal()
    try valley.converge()
    for _ in 0..<2 {
      let kept = try ["Ada", "Ben"].map { name in
        try valley.ask(name) { replica, _ in replica.core.engine.record(twins[0].topic) }
      }
      let shown = try ["Ada", "Ben"].map { name in
        try valley.ask(name) { try $0.statuses(now: $1).users() }.first { $0.callsign == "Mia" }?
          .fix?.position
      }
      #expect(kept[0] == kept[1] && shown[0] == shown[1] && shown[0] != nil)
      #expect(kept[0] == (twins.max { $0.version < $1.version }))
      // All know by both signatures that Mia's key is in use twice, Oda too, who saw one record.
      for name in ["Ada", "Ben", "Oda"] {
        let device = twins[0].certificate
        let reported = try valley.ask(name) { replica, now in
          let mia = replica.core.control.author(of: device)?.device
          return try replica.status(now: now).clones.map(\.device) == [mia]
        }
        #expect(reported, "\(name)")
      }
      for name in ["Ada", "Ben", "Oda"] { try valley.restart(name) }
      try valley.converge()
    }
  }
}
