import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  /// Joining with HTTPS as the only connection to the command post.
  @Suite struct UplinkJoinTests {
    private func post(_ host: Laptop, https: UInt16) async throws -> RunningNode {
      let node = try await host.run(on: 0, "--serve", "127.0.0.1:\(https)")
      try await eventually("\(host.name)'s node accepts uplinks") {
        try await host.ask("status")["uplink"]["serves"] == .string("127.0.0.1:\(https)")
      }
      return node
    }

    private func invitation(by host: Laptop) async throws -> String {
      let invite = try await host.ask("invite")
      guard let url = invite["url"].text else { throw Failed("no URL in \(invite)") }
      return url
    }

    private func isUp(_ laptop: Laptop) async throws {
      try await eventually("\(laptop.name)'s uplink is connected") {
        try await laptop.ask("status")["uplink"]["state"] == .string("up")
      }
    }

    @Test func `a laptop joins by HTTPS alone, and its uplink connects from the start`()
      async throws
    {
      let https = try FreePort.next()
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let host = try await post(anna, https: https)
        let ben = try field.laptop("Ben")
        let there = "https://127.0.0.1:\(https)"
        let output = try await ben.send(
          "join", try await invitation(by: anna), "--callsign", "Ben", "--uplink", there)
        #expect(output.contains("Next: muster run --home "))
        #expect(output.contains(" --uplink \(there)"))
        // There is no other path to Anna.
        let child = try ben.begin(
          ["run", "--listen", "127.0.0.1:0", "--no-multicast", "--no-http", "--uplink", there],
          stays: true)
        try await eventually("Ben's node accepts commands") {
          try child.complaints.contains("listening on UDP port")
        }
        try await isUp(ben)
        try await ben.send("report", "add", "--title", "Over HTTPS")
        try await eventually("Anna has it") {
          try await anna.ask("report", "list").items.contains {
            $0["title"].text == "Over HTTPS" && $0["ownerCallsign"].text != ""
          }
        }
        try await RunningNode(child: child, port: 0).stop()
        try await host.stop()
        for laptop in [anna, ben] { try await laptop.requireSound() }
      }
    }

    @Test func `a command post that did not invite admits no device and is not trusted`()
      async throws
    {
      let (first, second) = (try FreePort.next(), try FreePort.next())
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let host = try await post(anna, https: first)
        let url = try await invitation(by: anna)
        // Given a command post of another operation, whose address Ben has
        let mallory = try await field.founder("Mallory", of: "Another flood")
        let trap = try await post(mallory, https: second)
        let ben = try field.laptop("Ben")
        let there = "https://127.0.0.1:\(second)"
        let ended = try await ben.attempt(
          "join", url, "--callsign", "Ben", "--uplink", there, "--timeout", "3s")
        ended.expectRefusal(containing: "--serve")
        #expect(try await mallory.ask("status")["uplink"]["guests"] == .number(0))
        // and an address without a server
        try await trap.stop()
        let alone = try await ben.attempt(
          "join", url, "--callsign", "Ben", "--uplink", there, "--timeout", "3s")
        alone.expectRefusal(containing: "refused")
        // Then the same invite still works at the right command post.
        try await ben.send(
          "join", url, "--callsign", "Ben", "--uplink", "https://127.0.0.1:\(first)")
        try await host.stop()
      }
    }

    @Test func `an uplink without an invite, or a proxy without an uplink, is bad usage`()
      async throws
    {
      try await Field.run { field in
        let ben = try field.laptop("Ben")
        try await ben.attempt(
          "join", "--request", field.path("r"), "--callsign", "Ben", "--uplink", "https://a:1"
        ).expectRefusal(status: 64, containing: "--uplink needs")
        try await ben.attempt(
          "join", "--request", field.path("r"), "--callsign", "Ben", "--proxy", "http://a:1"
        ).expectRefusal(status: 64, containing: "--proxy needs")
      }
    }
  }
}
