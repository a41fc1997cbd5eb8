import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  /// Row E1 of the faults, over HTTP to a real node: `MUSTER_VOLUME=2000` for the whole volume of
  /// each protocol.
  @Suite struct OddMessageTests {
    private static let volume = Volume.orUsual(32)
    private static let seed: UInt64 = Volume.onlySeed ?? 20_261_129
    /// Fewer than the places of a laptop for phones.
    private static let people = 40
    /// Seconds from a message of a person to the next one: all fixes stay in the track.
    private static let apart: Int64 = 30

    /// A laptop that trusts the programs of its machine.
    private struct Laptop {
      let phones: UInt16

      func get(_ path: String) throws -> JSON {
        let answer = try HTTPExchange.request(phones, path)
        guard answer.status == 200 else { throw Failed("\(path): \(answer)") }
        return try JSONDecoder().decode(JSON.self, from: Data(answer.body.utf8))
      }

      /// The people by their names.
      func users() throws -> [String: JSON] {
        let items = try get("/api/v1/users?limit=1000")["items"].items
        return Dictionary(items.map { ($0["callsign"].text ?? "", $0) }) { $1 }
      }

      /// Ends a call, as command.
      func end(_ id: String) throws -> Int {
        try HTTPExchange.request(
          phones, "/api/v1/users/\(id)/override", method: "PUT",
          bytes: Array("{\"safety\":\"safe\",\"note\":\"met\"}".utf8),
          headers: ["Content-Type": "application/json"]
        ).status
      }
    }

    /// The messages of all apps, each person's in the order of their times.
    private static func waves() -> [[(PhoneMessage, PhoneMessage.Core)]] {
      var random = SplitMix64(seed: seed)
      let apps = (0..<volume).flatMap { _ in PhoneMessage.App.allCases }
      let count = Int64((apps.count + people - 1) / people)
      let start = Int64(Date().timeIntervalSince1970) - (count + 1) * apart
      return stride(from: 0, to: apps.count, by: people).enumerated().map { wave, first in
        apps[first..<min(first + people, apps.count)].enumerated().map { place, app in
          let core = PhoneMessage.Core(
            name: "Kim\(place)", seconds: start + Int64(wave) * apart,
            latitudeE7: 465_000_000 + Int64(random.number(below: 10_000)),
            longitudeE7: 75_000_000 + Int64(random.number(below: 10_000)))
          return (PhoneMessage.drawn(app, core, &random), core)
        }
      }
    }

    @Test func `alarm, position and time of each message arrive, and none is refused`()
      async throws
    {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let node = try await anna.run(peers: [], "--http", "127.0.0.1:0", "--trust-local")
        var port: UInt16?
        try await eventually("the node accepts phones") {
          let line = try node.child.complaints.firstMatch(of: /phones on http:\/\/127.0.0.1:(\d+)/)
          port = line.flatMap { UInt16($0.1) }
          return port != nil
        }
        let laptop = Laptop(phones: port ?? 0)
        var sent: [String: [(PhoneMessage, PhoneMessage.Core)]] = [:]
        for wave in Self.waves() {
          for (message, core) in wave {
            let status = try HTTPExchange.request(
              laptop.phones, message.path, bytes: message.body
            ).status
            #expect(status == 200, "MUSTER_TEST_SEED=\(Self.seed): \(message.shown)")
            sent[core.name, default: []].append((message, core))
          }
          let users = try laptop.users()
          for (message, core) in wave {
            let user = users[core.name] ?? .null
            #expect(
              user["status"].text == "mayday", "MUSTER_TEST_SEED=\(Self.seed): \(message.shown)")
            #expect(try laptop.end(user["id"].text ?? "") == 204)
          }
        }
        for (name, user) in try laptop.users() where sent[name] != nil {
          let track = try laptop.get("/api/v1/tracks/\(user["id"].text ?? "")?limit=1000")
          let fixes = Set(
            track["items"].items.map { [$0["lat"], $0["lon"], $0["sampleTime"]] })
          for (message, core) in sent[name] ?? [] {
            let time = Date(timeIntervalSince1970: Double(core.seconds)).ISO8601Format()
            let fix: [JSON] = [
              .number(Double(core.latitudeE7) / 1e7), .number(Double(core.longitudeE7) / 1e7),
              .string(time),
            ]
            #expect(fixes.contains(fix), "MUSTER_TEST_SEED=\(Self.seed): \(message.shown)")
          }
        }
        try await node.stop()
        try await anna.requireSound()
      }
    }
  }
}
