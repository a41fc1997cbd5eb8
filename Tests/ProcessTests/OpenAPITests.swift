import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  /// A fuzzer that is generated from a node's OpenAPI document finds no undocumented answer.
  @Suite struct OpenAPITests {
    private static let script = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "OpenAPI/check.py")

    @Test(.enabled(if: try Python.has("schemathesis"), "needs python3 with schemathesis"))
    func `every answer conforms to the OpenAPI document`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let node = try await anna.run(peers: [], "--http", "127.0.0.1:0")
        var port: UInt16?
        try await eventually("the node serves programs") {
          let line = try node.child.complaints.firstMatch(of: /phones on http:.*:(\d+)/)
          port = line.flatMap { UInt16($0.1) }
          return port != nil
        }
        let verdict = try await Python.run([
          Self.script.path, "--url", "http://127.0.0.1:\(port ?? 0)", "--requests", "100",
          "--examples", "2", "--phases", "fuzzing", "--token", try anna.httpToken(),
        ])
        #expect(verdict.status == 0, "\(verdict.output)")
        try await node.stop()
        try await anna.requireSound()
      }
    }
  }
}
