import Foundation
import MusterTestKit
import Testing

/// The first command of the README.
extension ProcessTests {
  struct DemoTests {
    private static let repository = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test func `the demo keeps every promise`() async throws {
      let folder = try TemporaryFolder()
      let demo = try Child(
        try Program.located("muster-demo"),
        [
          "--muster", try Program.located().path,
          "--directory", folder.url.appending(path: "demo").path,
          "--keys", folder.url.appending(path: "keys").path,
          "--track",
          Self.repository.appending(path: "simulations/tracks/valley-walk.gpx").path,
        ],
        environment: Child.surroundings(home: folder.url.path), in: folder.url, name: "demo")
      let ended = try await demo.end(within: .seconds(180))
      #expect(ended.status == 0, "\(ended.output)\(ended.errors)")
      #expect(ended.output.contains("Every promise held."))
    }
  }
}
