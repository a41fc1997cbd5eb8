import Foundation
import Testing

extension ProcessTests {
  /// Bugs are planted in builds of their own, to prove the simulator. Nothing of them is in what is
  /// run or shipped.
  @Suite struct PlantedBugTests {
    /// A text and a part of each symbol of such a build.
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

    /// Where nothing was planted there is nothing to look at: `make canary` builds it.
    @Test("the simulator with planted bugs says so")
    func present() throws {
      let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
      let program = root.appending(path: ".build/canary/release/muster-sim")
      guard FileManager.default.fileExists(atPath: program.path) else { return }
      let bytes = try Data(contentsOf: program, options: .mappedIfSafe)
      for mark in Self.marks {
        #expect(bytes.range(of: Data(mark.utf8)) != nil, "it lacks '\(mark)'")
      }
    }
  }
}
