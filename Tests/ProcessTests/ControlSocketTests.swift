import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  @Suite struct ControlSocketTests {
    @Test func `a node without an HTTP address serves programs at its socket`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let node = try await anna.run()
        for (path, mode) in [(anna.socket.path, 0o600), (anna.home.path + "/run", 0o700)] {
          let found = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
          #expect((found as? NSNumber)?.intValue == mode)
        }
        let status = try HTTPExchange.request(socket: anna.socket, "/api/v1/status")
        #expect(status.status == 200 && status.body.contains("\"callsign\":\"Anna\""))
        let rebound = try HTTPExchange.request(
          socket: anna.socket, "/api/v1/status", headers: ["Host": "evil.example"])
        #expect(rebound.status == 403)

        let invited = try HTTPExchange.request(
          socket: anna.socket, "/api/v1/invitations", body: "{\"role\":\"observer\"}",
          headers: ["Content-Type": "application/json"])
        let invitation = try JSONDecoder().decode(JSON.self, from: Data(invited.body.utf8))
        let url = try #require(invitation["url"].text, "\(invited)")
        let ben = try field.laptop("Ben")
        let joined = try await ben.ask("join", url, "--callsign", "Ben")
        #expect(joined["role"] == .string("observer"))
        let ids = try await anna.ask("device", "list").items.filter {
          $0["role"] == .string("observer")
        }
        let id = try #require(ids.first?["id"].text)
        let revoked = try HTTPExchange.request(
          socket: anna.socket, "/api/v1/devices/\(id)/revoke", body: "")
        #expect(revoked.status == 204, "\(revoked)")
        let after = try await anna.ask("device", "list").items.first {
          $0["role"] == .string("observer")
        }
        #expect(after?["isRevoked"] == .bool(true))
        try await node.stop()
      }
    }

    @Test func `a subscriber detects the kill of its node, and another node starts in its place`()
      async throws
    {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let node = try await anna.run()
        try await anna.send("fence", "add", "--name", "School", "--circle", "46.5,7.5,100")
        try await anna.send("position", "set", "46.5,7.5")
        let follower = try anna.begin(["event", "follow", "--all"], stays: true)
        try await eventually("the subscriber receives it") {
          try follower.written.contains("School")
        }
        node.child.signal(SIGKILL)
        let ended = try await follower.end(within: .seconds(60))
        #expect(ended.status == 1 && ended.complaint.contains("the node has stopped"), "\(ended)")
        #expect(FileManager.default.fileExists(atPath: anna.socket.path))
        try await anna.attempt("event", "follow").expectRefusal(containing: "no node is running")
        let second = try await anna.run()
        #expect(try await anna.ask("status")["callsign"] == .string("Anna"))
        try await second.stop()
      }
    }
  }
}
