import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  /// Planted bugs exist in separate builds only, to prove the simulator. No shipped program has
  /// them.
  @Suite struct PlantedBugTests {
    /// A string and a symbol fragment of such a build.
    private static let marks = [
      "muster build with planted bugs: never ship it", "11MusterModel6CanaryO",
    ]

    @Test("no program has planted bugs in it", arguments: ["muster", "muster-sim"])
    func absent(program: String) throws {
      let folder = try Program.located().deletingLastPathComponent()
      let bytes = try Data(contentsOf: folder.appending(path: program), options: .mappedIfSafe)
      for mark in Self.marks {
        #expect(bytes.range(of: Data(mark.utf8)) == nil, "\(program) has '\(mark)'")
      }
    }

    private static let planted = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: ".build/canary/release/muster-sim")

    @Test(
      "the simulator with planted bugs reveals them",
      .enabled(if: Installed.hasFile(planted), "`make canary` builds the simulator with bugs"))
    func present() throws {
      let bytes = try Data(contentsOf: Self.planted, options: .mappedIfSafe)
      for mark in Self.marks {
        #expect(bytes.range(of: Data(mark.utf8)) != nil, "it lacks '\(mark)'")
      }
    }
  }
}
