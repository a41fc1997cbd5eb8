import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  @Suite struct AddressFamilyTests {
    /// Whether this machine has ::1.
    private static func hasIPv6() -> Bool {
      do {
        return try String(contentsOfFile: "/proc/net/if_inet6", encoding: .utf8)
          .contains("00000000000000000000000000000001")
      } catch {
        return false
      }
    }

    @Test(.enabled("needs IPv6") { Self.hasIPv6() })
    func `a node on a wildcard synchronizes with one peer by IPv4 and one by IPv6`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let annasNode = try await anna.run(of: "0.0.0.0")
        let ben = try await field.joiner("Ben", inviting: anna)
        let cleo = try await field.joiner("Cleo", inviting: anna)
        // When one peer knows it by its IPv4 address and the other by its IPv6 address
        _ = try await ben.run(peers: [annasNode])
        _ = try await cleo.run(of: "[::1]", "--peer", "[::1]:\(annasNode.port)")
        let report = try await cleo.send("report", "add", "--title", "Bridge down")
        // Then what one writes reaches the other through it.
        try await eventually("Ben reads it") {
          try await ben.attempt("report", "show", report).status == 0
        }
        try await inStep(anna, ben)
        let addresses = try await anna.ask("status")["peers"].items.compactMap {
          $0["address"].text
        }
        #expect(addresses.contains { $0.hasPrefix("127.0.0.1:") })
        #expect(addresses.contains { $0.hasPrefix("[::1]:") })
      }
    }
  }
}
