import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  /// Positions from receivers and phones.
  @Suite struct PlacesTests {
    private func person(_ callsign: String, seenBy laptop: Laptop) async throws -> JSON? {
      try await laptop.ask("user", "list").items.first { $0["callsign"].text == callsign }
    }

    private func counted(_ reason: String, by laptop: Laptop) async throws -> Double {
      try await laptop.ask("status")["location"]["refused"][reason].number ?? 0
    }

    // MARK: NMEA

    private func sentence(_ body: String) -> [UInt8] {
      let sum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
      return Array("$\(body)*\(sum.count < 2 ? "0" : "")\(sum)\r\n".utf8)
    }

    private func minimum(_ place: String, at time: Date) -> [UInt8] {
      let format = DateFormatter()
      format.locale = Locale(identifier: "en_US_POSIX")
      format.timeZone = TimeZone(identifier: "UTC")
      format.dateFormat = "HHmmss"
      let clock = format.string(from: time)
      format.dateFormat = "ddMMyy"
      return sentence("GNRMC,\(clock),A,\(place),0.1,0,\(format.string(from: time)),,,A")
    }

    @Test func `a receiver's datagrams set a laptop's position, and damaged ones are counted`()
      async throws
    {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        try await anna.send("fence", "add", "--name", "School", "--circle", "46.498,7.567,300")
        let receiver = try LoopbackSocket()
        let port = try FreePort.next()
        let node = try await anna.run(peers: [], "--nmea", "udp://127.0.0.1:\(port)")
        let place = "4629.880,N,00734.026,E"
        let whole = minimum(place, at: Date())
        try await eventually("the first fix has arrived") {
          // A datagram that arrives before the port is open is lost.
          _ = receiver.send(whole, to: port)
          return try await anna.ask("event", "list").items.count == 1
        }
        _ = receiver.send(Array(whole.dropLast(4)) + Array("00\r\n".utf8), to: port)
        _ = receiver.send(sentence("GNRMC,000000,V,,,,,,,010126,,,N"), to: port)
        _ = receiver.send(minimum("0000.000,N,00000.000,E", at: Date()), to: port)
        try await eventually("all datagrams are counted") {
          let checksum = try await counted("wrong checksum", by: anna)
          let none = try await counted("no fix", by: anna)
          let nowhere = try await counted("at 0, 0", by: anna)
          return checksum == 1 && none == 1 && nowhere == 1
        }
        let status = try await anna.ask("status")
        #expect(status["location"]["state"].text == "connected")
        #expect(status["fix"]["source"].text == "NMEA udp://127.0.0.1:\(port)")
        #expect(status["fix"]["lat"] == .number(46.498))
        #expect(try await anna.send("status").contains("wrong checksum 1"))
        #expect(try await anna.ask("event", "list").items.count == 1)
        try await node.stop()
        try await anna.requireSound()
      }
    }

    @Test func `a recorded log of NMEA is replayed like a track`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let start = try #require(ISO8601DateFormatter().date(from: "2026-08-15T14:00:00Z"))
        var log: [UInt8] = []
        for step in 0..<10 {
          log += minimum("4629.88\(step),N,00734.026,E", at: start + Double(step))
        }
        let path = field.path("walk.nmea")
        try Data(log).write(to: URL(filePath: path))
        let node = try await anna.run(peers: [], "--nmea", path, "--speed", "1000")
        try await eventually("the log has ended") {
          try await anna.ask("status")["location"]["state"].text == "at its end"
        }
        let fix = try await anna.ask("status")["fix"]
        #expect(fix["sampleTime"].text?.hasPrefix("2026-08-15T14:00:09") == true)
        try await node.stop()
        let empty = try field.file("empty.nmea", "nothing of the kind\n")
        try await anna.attempt("run", "--nmea", empty).expectRefusal(containing: "no NMEA sentence")
      }
    }

    // MARK: Phones

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

    @Test func `phones of two kinds are people on every laptop, with their crossings`()
      async throws
    {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let annas = try await anna.run()
        let ben = try await field.joiner("Ben", inviting: anna)
        try await anna.send("fence", "add", "--name", "School", "--circle", "46.05,14.5,100")
        let bens = try await ben.run(
          peers: [annas], "--http", "127.0.0.1:0", "--trust-local")
        let port = try await portOfPhones(bens)
        try await inStep(anna, ben) { $0["fences"] == .number(1) }

        // A minute apart, or the speed would be implausible.
        let now = Int(Date().timeIntervalSince1970)
        for (number, latitude) in ["46.06", "46.05", "46.06"].enumerated() {
          let time = now + 60 * number - 180
          let query = "/?id=truck%207&accuracy=5&lon=14.5&lat=\(latitude)&timestamp=\(time)"
          #expect(try HTTPExchange.request(port, query).status == 200)
        }
        let location =
          "{\"_type\":\"location\",\"lat\":46.05,\"lon\":14.5,\"acc\":7,\"tid\":\"mj\"}"
        let mia = try HTTPExchange.request(
          port, "/owntracks", body: location, headers: ["X-Limit-U": "mia", "X-Limit-D": "phone"])
        #expect(mia.status == 200 && mia.body == "[]")
        try await inStep(anna, ben) { $0["crossings"] == .number(3) }
        let events = try await anna.ask("event", "list").items
        #expect(
          events.map { "\($0["type"].text ?? "") \($0["callsign"].text ?? "")" }
            == ["ENTER truck 7", "EXIT truck 7", "ENTER mia/phone"])
        try await eventually("Anna sees both phones where they are") {
          let truck = try await person("truck 7", seenBy: anna)
          let mia = try await person("mia/phone", seenBy: anna)
          return truck?["lat"] == .number(46.06) && mia?["accuracyMetres"] == .number(7)
        }
        try await refusals(port)
        try await bens.stop()
        try await anna.requireSound()
        try await ben.requireSound()
      }
    }

    @Test func `a phone's stored positions show their age, and answer no later order`()
      async throws
    {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        try await anna.send(
          "fence", "add", "--name", "Camp", "--kind", "muster", "--circle", "46.8,7.8,200")
        let node = try await anna.run(peers: [], "--http", "127.0.0.1:0", "--trust-local")
        let port = try await portOfPhones(node)
        func report(_ latitude: String, ago seconds: Int) throws {
          let time = Int(Date().timeIntervalSince1970) - seconds
          let query = "/?id=Wim&accuracy=5&lon=7.8&lat=\(latitude)&timestamp=\(time)"
          #expect(try HTTPExchange.request(port, query).status == 200)
        }
        try report("46.8", ago: 10_800)
        try report("46.8003", ago: 10_500)
        try report("46.8006", ago: 10_200)
        try await anna.send(
          "direct", "muster", "--zone", "Camp", "--user", "Wim", "--deadline", "10m")
        try report("46.8009", ago: 9_900)
        let wim = try #require(try await person("Wim", seenBy: anna))
        #expect(wim["status"].text == "ordered")
        #expect(wim["lat"] == .number(46.8009))
        #expect((9_890...10_200).contains(wim["fixAgeSeconds"].number ?? 0))
        let conditions = wim["conditions"].items.compactMap { $0["status"].text }
        #expect(conditions.contains("oldPosition") && !conditions.contains("atAssembly"))
        #expect(try await anna.ask("event", "list").items.isEmpty)
        try await node.stop()
      }
    }

    private func refusals(_ port: UInt16) async throws {
      let good = "/?id=a&lat=1&lon=1"
      // A position that cannot be read is left out; the phone must not send it again.
      #expect(try HTTPExchange.request(port, "/?id=a&lat=x&lon=1").status == 200)
      #expect(try HTTPExchange.request(port, "/?speed=3").status == 400)
      #expect(try HTTPExchange.request(port, "/?lat=1&lon=1").status == 400)
      #expect(try HTTPExchange.request(port, "/owntracks", body: "{").status == 400)
      #expect(try HTTPExchange.request(port, "/elsewhere").status == 404)
      #expect(try HTTPExchange.request(port, "/owntracks").status == 405)
      #expect(
        try HTTPExchange.request(port, "/", body: String(repeating: "a", count: 1 << 21)).status
          == 413
      )
      #expect(
        try HTTPExchange.request(port, good, headers: ["Origin": "https://e.example"]).status == 403
      )
      #expect(try HTTPExchange.request(port, good, headers: ["Host": "e.example"]).status == 403)
      // Implausible positions must not be retried.
      #expect(try HTTPExchange.request(port, "/?id=a&lat=0&lon=0").status == 200)
    }

    @Test func `phones on other machines need the token`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        try await anna.attempt("run", "--http", "0.0.0.0:0").expectRefusal(
          containing: "MUSTER_HTTP_TOKEN")
        _ = try field.file("Anna/home/muster.toml", "http-token = \"s3cret\"\n")
        try await anna.attempt("run", "--http", "0.0.0.0:0").expectRefusal(
          containing: "fewer than 16 characters")
        let node = try await anna.run(peers: [], "--http", "127.0.0.1:0")
        let port = try await portOfPhones(node)
        #expect(try HTTPExchange.request(port, "/?id=a&lat=1&lon=1").status == 401)
        #expect(try HTTPExchange.request(port, "/s3cret/?id=a&lat=1&lon=1").status == 200)
        let basic = ["Authorization": "Basic bWlhOnMzY3JldA=="]
        #expect(try HTTPExchange.request(port, "/?id=b&lat=1&lon=1", headers: basic).status == 200)
        try await node.stop()
      }
    }

    @Test func `plain run prints the dashboard's address, whose token lets programs and phones in`()
      async throws
    {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        // As started by a user, whatever ports are taken on this machine.
        let child = try anna.begin(
          ["run", "--listen", "127.0.0.1:0", "--no-multicast"], stays: true)
        var port: UInt16 = 0
        try await eventually("the address is printed") {
          if !child.isRunning { throw Failed("\(try await child.end(within: .zero))") }
          let line = try child.complaints.firstMatch(
            of: /muster: dashboard: http:\/\/127.0.0.1:(\d+)\/ \(token in (.*)run\/http-token\)/)
          port = line.flatMap { UInt16($0.1) } ?? 0
          return port != 0
        }
        let token = try anna.httpToken()
        // Standard error is a file here, which others may read.
        #expect(try !child.complaints.contains(token))
        #expect(try HTTPExchange.request(port, "/api/v1/status").status == 401)
        let bearer = ["Authorization": "Bearer \(token)"]
        #expect(try HTTPExchange.request(port, "/api/v1/status", headers: bearer).status == 200)
        #expect(try HTTPExchange.request(port, "/").body.contains("run/http-token"))
        #expect(try HTTPExchange.request(port, "/?token=\(token)").status == 303)
        #expect(try HTTPExchange.request(port, "/?id=a&lat=1&lon=1").status == 401)
        #expect(try HTTPExchange.request(port, "/\(token)/?id=a&lat=1&lon=1").status == 200)
        child.signal(SIGTERM)
        #expect(try await child.end(within: .seconds(60)).status == 0)
        let mode = try FileManager.default.attributesOfItem(
          atPath: anna.home.appending(path: "run/http-token").path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
      }
    }

    @Test func `a listener can be turned off, by a flag or in the file`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let quiet = try await anna.run()
        #expect(try !quiet.child.complaints.contains("http://"))
        try await quiet.stop()
        try await anna.attempt("run", "--no-http", "--http", "127.0.0.1:0").expectRefusal(
          status: 64, containing: "only one")
        _ = try field.file("Anna/home/muster.toml", "http = \"off\"\n")
        let child = try anna.begin(
          ["run", "--listen", "127.0.0.1:0", "--no-multicast"], stays: true)
        try await eventually("the node takes commands") {
          try child.complaints.contains("listening on UDP port")
        }
        child.signal(SIGTERM)
        let ended = try await child.end(within: .seconds(60))
        #expect(ended.status == 0 && !ended.errors.contains("http://"), "\(ended)")
      }
    }
  }
}
