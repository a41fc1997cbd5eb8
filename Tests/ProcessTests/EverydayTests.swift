import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  @Suite struct EverydayTests {
    @Test func `two laptops work on one operation`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let annasNode = try await anna.run()
        let ben = try await field.joiner("Ben", inviting: anna)
        _ = try await ben.run(peers: [annasNode])
        try await inStep(anna, ben) { $0["users"] == .number(2) }

        let report = try await reports(by: ben, seenBy: anna)
        let fence = try await fences(by: anna, seenBy: ben, in: field)
        try await people(anna, ben)
        try await crossings(of: ben, in: fence, seenBy: anna)

        try await inStep(anna, ben)
        try await anna.send("report", "delete", report, "--yes")
        try await inStep(anna, ben) { $0["reports"] == .number(0) }
        try await anna.requireSound()
        try await ben.requireSound()
      }
    }

    /// Returns the report's id.
    private func reports(by ben: Laptop, seenBy anna: Laptop) async throws -> String {
      let created = try await ben.ask(
        "report", "add", "--title", "Gas smell", "--description", "By the bridge.\nStrong.",
        "--category", "chemical", "--severity", "3", "--at", "-33.8688,151.2093")
      let id = try #require(created["id"].text)
      try await eventually("Anna sees Ben's report") {
        try await anna.ask("report", "list").items.contains { $0["id"].text == id }
      }
      let short = String(id.prefix(8))
      try await anna.send("report", "edit", short, "--severity", "5", "--evacuate")
      try await anna.send("report", "confirm", short)
      try await anna.send("report", "comment", short, "Smelt it too")
      try await eventually("Ben receives all changes") {
        let report = try await ben.ask("report", "show", short)
        return report["severity"] == .number(5) && report["comments"].items.count == 1
          && report["confirmations"] == .array([.string("Anna")])
      }
      let shown = try await ben.ask("report", "show", short)
      #expect(shown["title"] == .string("Gas smell"))
      #expect(shown["description"] == .string("By the bridge.\nStrong."))
      #expect(shown["category"] == .string("chemical"))
      #expect(shown["lat"] == .number(-33.8688))
      #expect(shown["lon"] == .number(151.2093))
      #expect(shown["toEvacuate"] == .bool(true))
      #expect(shown["status"] == .string("open"))
      #expect(shown["comments"][0]["text"] == .string("Smelt it too"))
      #expect(shown["comments"][0]["callsign"] == .string("Anna"))
      let fixed: Set = [
        "id", "title", "description", "category", "severity", "lat", "lon", "toEvacuate",
        "status", "owner", "photos", "conflicts", "createdAt", "updatedAt", "delivery",
      ]
      #expect(fixed.subtracting(try await anna.ask("report", "list")[0].keys) == [])
      #expect(try await anna.send("report", "show", short).contains("Gas smell"))
      try await eventually("Ben sees that both hold it, including the command post") {
        let delivery = try await ben.ask("report", "show", short)["delivery"]
        return delivery["devices"] == .number(2) && delivery["total"] == .number(2)
          && delivery["commandPost"] == .bool(true)
      }
      let page = try await ben.send("report", "show", short)
      #expect(page.contains("on 2 of 2 devices · command post ✓"))
      #expect(try await anna.send("report", "list").contains("evacuate"))
      return id
    }

    /// Returns the id of an active circle.
    private func fences(
      by anna: Laptop, seenBy ben: Laptop, in field: Field
    ) async throws -> String {
      let circle = try await anna.send(
        "fence", "add", "--name", "Plume", "--kind", "hazard", "--circle", "46.05,14.5,250")
      let outline = try field.file(
        "outline.geojson",
        """
        {"type":"Feature","properties":{"source":"drone"},"geometry":{"type":"Polygon",
        "coordinates":[[[14.6,46],[14.61,46],[14.61,46.01],[14.6,46.01],[14.6,46]]]}}
        """)
      let polygon = try await anna.send(
        "fence", "add", "--name", "Assembly", "--kind", "muster", "--geojson", outline)
      try await eventually("Ben has both fences") {
        try await ben.ask("fence", "list").items.count == 2
      }
      try await anna.send("fence", "deactivate", String(polygon.prefix(6)))
      try await eventually("Ben sees it inactive") {
        try await ben.ask("fence", "show", polygon)["active"] == .bool(false)
      }
      try await anna.send("fence", "activate", polygon)
      try await eventually("Ben sees it active") {
        try await ben.ask("fence", "show", polygon)["active"] == .bool(true)
      }
      let mine = try await anna.send("fence", "export")
      #expect(try await ben.send("fence", "export") == mine)
      let exported = try JSONDecoder().decode(JSON.self, from: Data(mine.utf8))
      #expect(exported["type"] == .string("FeatureCollection"))
      #expect(
        Set(exported["features"].items.map { $0["geometry"]["type"].text })
          == ["Point", "Polygon"])
      let one = try await anna.send("fence", "export", polygon)
      let again = try field.file("again.geojson", one)
      let copy = try await anna.send("fence", "add", "--name", "Copy", "--geojson", again)
      #expect(try await anna.ask("fence", "show", copy)["kind"] == .string("muster"))
      try await anna.send("fence", "delete", copy, "--yes")
      #expect(try await anna.ask("fence", "list").items.count == 2)
      try await ben.attempt("fence", "add", "--name", "Mine", "--circle", "1,2,3")
        .expectRefusal(containing: "command")
      return circle
    }

    private func people(_ anna: Laptop, _ ben: Laptop) async throws {
      try await ben.send("user", "status", "help", "--note", "Broken leg")
      try await eventually("Anna sees that Ben needs help") {
        try await anna.ask("user", "list").items.contains {
          $0["callsign"] == .string("Ben") && $0["safety"] == .string("unsafe")
            && $0["reason"].text?.contains("Broken leg") == true
        }
      }
      try await ben.send("user", "status", "safe")
      let fixed: Set = [
        "id", "callsign", "role", "safety", "reason", "lat", "lon", "accuracyMetres",
        "fixAgeSeconds", "team",
      ]
      let users = try await ben.ask("user", "list").items
      #expect(Set(users.map { $0["callsign"].text }) == ["Anna", "Ben"])
      #expect(Set(users.map { $0["role"].text }) == ["command", "member"])
      for user in users { #expect(fixed.subtracting(user.keys) == []) }
      let devices = try await ben.ask("device", "list").items
      #expect(Set(devices.map { $0["rank"] }) == [.number(1), .number(2)])
      #expect(try await ben.send("device", "list").contains("this laptop"))

      let status = try await anna.ask("status")
      let keys: Set = [
        "operation", "callsign", "device", "role", "stateHash", "root", "logs", "frames",
        "quarantined", "peers", "uplink", "fix", "clockSuspect", "diskFreeBytes",
      ]
      #expect(keys.subtracting(status.keys) == [])
      let invite: Set = ["url", "expires", "role"]
      #expect(invite.subtracting(try await anna.ask("invite").keys) == [])
      let verified: Set = ["ok", "frames", "logs", "stateHash", "problems"]
      #expect(verified.subtracting(try await anna.ask("verify").keys) == [])
      let peer: Set = ["callsign", "device", "address", "lastHeardSeconds", "behindFrames"]
      #expect(peer.subtracting(status["peers"][0].keys) == [])
      #expect(status["peers"][0]["callsign"] == .string("Ben"))
      #expect(try await anna.send("status").contains("connected"))

      let peers = try await anna.ask("peers").items
      #expect(peers.map { $0["callsign"] } == [.string("Ben")])
      let traffic: Set = [
        "state", "interface", "roundTripMilliseconds", "sentBytes", "receivedBytes",
      ]
      for one in peers { #expect(peer.union(traffic).subtracting(one.keys) == []) }
      #expect(try await anna.send("peers").contains("connected"))
    }

    @Test func `a position that is set with an earlier time is as old as that`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let earlier = Date.now.addingTimeInterval(-3 * 3600).ISO8601Format()
        try await anna.send("position", "set", "46,14.5", "--time", earlier)
        let person = try #require(try await anna.ask("user", "list").items.first)
        #expect(person["status"] == .string("oldPosition"))
        if case .number(let seconds) = person["fixAgeSeconds"] { #expect(seconds >= 3 * 3600) }
      }
    }

    private func crossings(
      of ben: Laptop, in fence: String, seenBy anna: Laptop
    ) async throws {
      let follower = try anna.begin(["event", "follow", "--all", "--json"], stays: true)
      try await ben.send("position", "set", "46,14.5", "--accuracy", "5")
      try await ben.send("position", "set", "46.0501,14.5", "--accuracy", "5")
      try await ben.send("position", "set", "46.06,14.5", "--accuracy", "5")
      try await eventually("Anna's subscriber receives both") {
        try follower.written.split(separator: "\n").count == 2
      }
      follower.endNow()
      let followed = try follower.written.split(separator: "\n").map {
        try JSONDecoder().decode(JSON.self, from: Data($0.utf8))
      }
      let events = try await anna.ask("event", "list").items
      #expect(events == followed)
      #expect(try await ben.ask("event", "list").items == events)
      #expect(events.map { $0["type"] } == [.string("ENTER"), .string("EXIT")])
      #expect(events.allSatisfy { $0["fence"].text == fence && $0["callsign"].text == "Ben" })
      let fixed: Set = [
        "id", "type", "fence", "fenceName", "subject", "callsign", "sampleTime", "lat", "lon",
        "baseline",
      ]
      for event in events { #expect(fixed.subtracting(event.keys) == []) }
      try await eventually("Anna sees where Ben is") {
        try await anna.ask("user", "list").items.contains {
          $0["callsign"] == .string("Ben") && $0["lat"] == .number(46.06)
        }
      }
    }
  }
}
