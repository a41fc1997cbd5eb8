import Foundation
import MusterTestKit
import Testing

/// What phones really send, to a real node: a call for help is never lost because of another part
/// of its message, and nothing that is useless is sent again for ever.
extension ProcessTests {
  @Suite struct PhoneCallTests {
    private struct Sent {
      let path: String
      let body: String?

      init(_ path: String, _ body: String? = nil) { (self.path, self.body) = (path, body) }
    }

    private static var now: Int { Int(Date().timeIntervalSince1970) }
    private static var iso: String { Date().ISO8601Format() }

    private func portOfPhones(_ node: RunningNode) async throws -> UInt16 {
      var port: UInt16?
      try await eventually("the node accepts phones") {
        let line = try node.child.complaints.firstMatch(
          of: /phones on http:\/\/127.0.0.1:(\d+)/)
        port = line.flatMap { UInt16($0.1) }
        return port != nil
      }
      return port ?? 0
    }

    private func person(_ name: String, at laptop: Laptop) async throws -> JSON? {
      try await laptop.ask("user", "list").items.first { $0["callsign"].text == name }
    }

    private func send(_ sent: Sent, to port: UInt16) throws -> Int {
      try HTTPExchange.request(port, sent.path, body: sent.body).status
    }

    @Test func `a call is a MAYDAY whatever is odd, missing or invalid beside it`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let node = try await anna.run(peers: [], "--http", "127.0.0.1:0", "--trust-local")
        let port = try await portOfPhones(node)
        let (now, iso) = (Self.now, Self.iso)
        let own = "\"_type\":\"location\",\"tst\":\(now),\"lat\":46.5,\"lon\":7.5"
        let calls: [(String, Sent)] = [
          ("a1", Sent("/", "id=a1&timestamp=\(now)&alarm=sos")),
          ("a2", Sent("/?id=a2&lat=NaN&lon=NaN&timestamp=\(now)&alarm=sos")),
          ("a3", Sent("/owntracks", "{\"_type\":\"location\",\"tid\":\"a3\",\"alarm\":\"sos\"}")),
          (
            "a4",
            Sent(
              "/",
              "{\"location\":{\"timestamp\":\"\(iso)\",\"extras\":{\"alarm\":\"sos\"}},"
                + "\"device_id\":\"a4\"}")
          ),
          ("a5", Sent("/?id=a5&lat=0&lon=0&timestamp=\(now)&alarm=sos")),
          ("a6", Sent("/?id=a6&lat=46.5&lon=7.5&accuracy=2500&timestamp=\(now)&alarm=SOS")),
          ("a7", Sent("/owntracks", "{\(own),\"tid\":\"a7\",\"alarm\":true}")),
          ("a8", Sent("/owntracks", "{\(own),\"tid\":\"a8\",\"alarm\":\"sos\",\"batt\":\"75\"}")),
          ("a9", Sent("/owntracks", "{\(own),\"tid\":\"a9\",\"alarm\":\"sos\",\"acc\":\"12\"}")),
          (
            "b1",
            Sent(
              "/owntracks",
              "{\(own),\"tid\":\"b1\",\"alarm\":\"sos\",\"motionactivities\":\"walking\"}")
          ),
          ("b2", Sent("/?id=b2&lat=46.5&lon=7.5&timestamp=\(now)&driver=Jos%E9&alarm=sos")),
          ("b3", Sent("/?id=b3&lat=46.5&lon=7.5&timestamp=\(now)&note=100%&alarm=sos")),
          (
            "b4",
            Sent("/", "[{\"device_id\":\"b4\",\"lat\":46.5,\"lon\":7.5,\"alarm\":\"fallDown\"}]")
          ),
          ("b5", Sent("/?id=b5&lat=46.5&lon=7.5&timestamp=soon&alarm=general,lowBattery")),
        ]
        for (name, call) in calls {
          #expect(try send(call, to: port) == 200, "\(name)")
          let status = try await person(name, at: anna)?["status"].text
          #expect(status == "mayday", "\(name): \(call)")
        }
        let vague = try #require(try await person("a6", at: anna))
        let left = vague["phone"]["leftOut"].items.map { $0["reason"].text ?? "" }
        #expect(left == ["position too inaccurate"])
        #expect(vague["lat"].number == nil)
        #expect(vague["reason"].text?.contains("by the token of all phones") == true)
        try await node.stop()
      }
    }

    @Test func `a phone that reaches only an observer's laptop calls command`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let annas = try await anna.run()
        let olga = try await field.joiner("Olga", inviting: anna, role: "observer")
        let olgas = try await olga.run(peers: [annas], "--http", "127.0.0.1:0", "--trust-local")
        let port = try await portOfPhones(olgas)
        let call = Sent("/?id=Kim&lat=46.5&lon=7.5&timestamp=\(Self.now)&alarm=sos")
        #expect(try send(call, to: port) == 200)
        try await eventually("command has the call") {
          try await anna.ask("call", "list")["items"].items.contains { $0["name"].text == "Kim" }
        }
        let position = Sent("/?id=Kim&lat=46.5&lon=7.5&timestamp=\(Self.now)")
        #expect(try send(position, to: port) == 200, "or the app sends it for ever")
        try await olgas.stop()
        try await annas.stop()
      }
    }

    @Test func `a second call after the first was answered is new, and a repeated message is none`()
      async throws
    {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let first = try await anna.run(peers: [], "--http", "127.0.0.1:0", "--trust-local")
        var port = try await portOfPhones(first)
        func sos(at time: Int) throws {
          let path = "/?id=Rui&lat=46.5&lon=7.5&accuracy=5&timestamp=\(time)&alarm=sos"
          #expect(try send(Sent(path), to: port) == 200)
        }
        func status() async throws -> String? { try await person("Rui", at: anna)?["status"].text }
        let now = Self.now
        try sos(at: now - 30)
        #expect(try await status() == "mayday")
        try sos(at: now - 20)
        try await anna.send("user", "override", "Rui", "safe", "--note", "in the ambulance")
        #expect(try await status() == "accountedFor")
        // Given messages that the phone sends again: their answers were lost
        try sos(at: now - 30)
        try sos(at: now - 20)
        #expect(try await status() == "accountedFor")
        try await first.stop()
        let second = try await anna.run(peers: [], "--http", "127.0.0.1:0", "--trust-local")
        port = try await portOfPhones(second)
        try sos(at: now - 20)
        #expect(try await status() == "accountedFor")
        try sos(at: now - 5)
        #expect(try await status() == "mayday")
        try await second.stop()
        try await anna.requireSound()
      }
    }

    @Test func `a phone that only signals stays in contact, and useless messages are not repeated`()
      async throws
    {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let node = try await anna.run(peers: [], "--http", "127.0.0.1:0", "--trust-local")
        let port = try await portOfPhones(node)
        let (now, iso) = (Self.now, Self.iso)
        let useless = [
          Sent("/", "id=Kim&timestamp=\(now)&batt=55"), Sent("/?id=Kim&timestamp=\(now)"),
          Sent(
            "/",
            "{\"location\":{\"timestamp\":\"\(iso)\",\"is_moving\":false,\"battery\":"
              + "{\"level\":0.5},\"heartbeat\":true},\"device_id\":\"Kim\"}"),
          Sent("/owntracks", "{\"_type\":\"lwt\",\"tst\":\(now)}"),
          Sent("/owntracks", "{\"_type\":\"waypoints\",\"waypoints\":[]}"),
          Sent("/owntracks", String(repeating: " ", count: 900_000) + "{\"_type\":\"card\"}"),
          Sent("/?id=Kim&lat=46.21&lon=7.2&accuracy=-1&timestamp=\(now)"),
          Sent("/?id=Kim&lat=46.21&lon=7.2&valid=false&timestamp=\(now)"),
        ]
        for sent in useless { #expect(try send(sent, to: port) == 200, "\(sent)") }
        let kim = try #require(try await person("Kim", at: anna))
        #expect(kim["status"].text == "noPosition")
        // That of the first message: later ones within a minute renew the contact here only.
        #expect(kim["battery"] == .number(55))
        #expect(kim["lat"].number == nil)
        let left = kim["phone"]["leftOut"].items
        #expect(left.map { $0["reason"].text } == ["position marked as invalid"])
        #expect(left.map { $0["count"].number } == [2])
        for (body, status) in [("{", 400), ("{\"x\":1}", 400), ("speed=3", 400)] {
          #expect(try send(Sent("/", body), to: port) == status, "\(body)")
        }
        // Numbers as texts, ids and times as numbers, and lists
        let other = [
          (
            "NE", "/owntracks",
            "{\"t\":\"u\",\"tst\":\"\(now)\",\"_type\":\"location\",\"lon\":\"7.5\",\"lat\":\"46.5\",\"tid\":\"NE\"}"
          ),
          (
            "981866116", "/",
            "{\"location\":{\"timestamp\":\(now)000,\"coords\":{\"latitude\":46.5,\"longitude\":7.5}},\"device_id\":981866116}"
          ),
          (
            "n3", "/",
            "{\"location\":[{\"timestamp\":\"\(iso)\",\"coords\":{\"latitude\":46.5,\"longitude\":7.5}}],\"device_id\":\"n3\"}"
          ),
          (
            "n4", "/owntracks",
            "[{\"_type\":\"location\",\"tid\":\"n4\",\"tst\":\(now),\"lat\":46.5,\"lon\":7.5}]"
          ),
          (
            "lee/phone", "/owntracks?u=lee&d=phone",
            "{\"_type\":\"location\",\"tid\":\"q7\",\"tst\":\(now),\"lat\":46.5,\"lon\":7.5}"
          ),
        ]
        for (name, path, body) in other {
          #expect(try send(Sent(path, body), to: port) == 200, "\(name)")
          #expect(try await person(name, at: anna)?["lat"] == .number(46.5), "\(name)")
        }
        #expect(try await person("q7", at: anna) == nil)
        try await node.stop()
      }
    }

    @Test func `a call keeps its position beyond the rate, and nothing useless is sent again`()
      async throws
    {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        _ = try field.file("Anna/home/muster.toml", "owntracks-key = \"s3cret\"\n")
        let node = try await anna.run(peers: [], "--http", "127.0.0.1:0", "--trust-local")
        let port = try await portOfPhones(node)
        let now = Self.now
        var statuses: [Int: Int] = [:]
        for number in 0..<330 {
          let path = "/?id=Kim&lat=46.499&lon=7.5&timestamp=\(now - 400 + number)"
          statuses[try send(Sent(path), to: port), default: 0] += 1
        }
        #expect(statuses[429, default: 0] > 0, "\(statuses)")
        let call = "/?id=Kim&lat=46.5&lon=7.5&accuracy=5&timestamp=\(now)&alarm=sos"
        #expect(try send(Sent(call), to: port) == 200)
        let kim = try #require(try await person("Kim", at: anna))
        #expect(kim["status"].text == "mayday" && kim["lat"] == .number(46.5))

        // The name in the URL of a message that has none
        let json = "{\"lat\":46.5,\"lon\":7.5,\"timestamp\":\(now)}"
        #expect(try send(Sent("/?id=Lee", json), to: port) == 200)
        #expect(try send(Sent("/?id=Max", "lat=46.5&lon=7.5"), to: port) == 200)
        #expect(try await person("Lee", at: anna)?["lat"] == .number(46.5))
        #expect(try await person("Max", at: anna)?["lat"] == .number(46.5))

        // Encrypted by OwnTracks, with the key of the settings and with another one
        let box =
          "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXucdH0JMAp+k4oszabSJQ2NG9hfIud1XLuB5xeZcvIIIf9mtYWK14Dni"
          + "w9+6L5IqQsXMVvkc7wl6R2rsrRU/Tgr8yBuB1bHH+Dc1iEKHZGnt+2LSxB51gowyOuM9WK6xuWZNC"
        func encrypted(_ data: String) -> String {
          "{\"_type\":\"encrypted\",\"data\":\"\(data)\"}"
        }
        #expect(try send(Sent("/owntracks", encrypted(box)), to: port) == 200)
        #expect(try await person("q7", at: anna)?["status"].text == "mayday")
        let other = Sent("/owntracks?u=Lee", encrypted("A" + box.dropFirst().dropLast() + "D"))
        #expect(try send(other, to: port) == 400)
        let left = try await person("Lee", at: anna)?["phone"]["leftOut"].items ?? []
        #expect(left.map { $0["reason"].text ?? "" }.contains { $0.contains("owntracks-key") })
        try await node.stop()
      }
    }

    @Test func `command states that a phone's clock is behind, and its fixes are of now`()
      async throws
    {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let node = try await anna.run(peers: [], "--http", "127.0.0.1:0", "--trust-local")
        let port = try await portOfPhones(node)
        func report() async throws -> JSON {
          let path = "/?id=Kim&lat=46.5&lon=7.5&accuracy=5&timestamp=\(Self.now - 10_800)"
          #expect(try send(Sent(path), to: port) == 200)
          return try #require(try await person("Kim", at: anna))
        }
        #expect(try await report()["status"].text == "oldPosition")
        try await anna.send("user", "clock", "Kim", "--behind", "3h")
        try await eventually("the next fix is of now") {
          try await report()["fixAgeSeconds"].number.map { $0 < 60 } == true
        }
        let kim = try await report()
        #expect(kim["status"].text != "oldPosition")
        #expect(kim["phone"]["clockBehindSeconds"] == .number(10_800))
        try await anna.send("user", "clock", "Kim", "--right")
        #expect(try await report()["phone"] == .null)
        try await anna.attempt("user", "clock", "Anton", "--behind", "3h").expectRefusal(
          containing: "Anton")
        try await node.stop()
      }
    }

    @Test func `invented names leave room for a new phone's call, and beyond it nothing is lost`()
      async throws
    {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let node = try await anna.run(peers: [], "--http", "127.0.0.1:0", "--trust-local")
        let port = try await portOfPhones(node)
        var statuses: [Int: Int] = [:]
        for number in 0..<256 {
          let path = "/?id=x\(number)&lat=46.5&lon=7.5&timestamp=\(Self.now)"
          statuses[try send(Sent(path), to: port), default: 0] += 1
        }
        #expect(statuses == [200: 192, 403: 64])
        for number in 0..<60 {
          #expect(try send(Sent("/?id=call\(number)&alarm=sos"), to: port) == 200)
        }
        let people = try await anna.ask("user", "list").items
        let calls = people.count { $0["status"].text == "mayday" }
        #expect(calls == 48)
        try await eventually("an alert names the full table") {
          try await anna.ask("alert", "list").items.contains {
            $0["text"].text?.contains("records no further phone") == true
          }
        }
        try await node.stop()
      }
    }
  }
}
