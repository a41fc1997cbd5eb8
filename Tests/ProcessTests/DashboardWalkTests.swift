import Foundation
import Testing

/// Somebody sits before the dashboard of a real node, in a real browser. Not among `ProcessTests`,
/// whose stories are shorter.
@Suite(.timeLimit(.minutes(30)))
struct DashboardWalkTests {
  private static let script = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Browser/dashboard.py")

  @Test func `what people do before the dashboard does what it says`() throws {
    guard try Python.has("selenium") else {
      return print("skipped: no python3 with selenium (pip install selenium)")
    }
    guard Self.isInstalled("chromium"), Self.isInstalled("chromedriver") else {
      return print("skipped: no browser (apt install chromium chromium-driver)")
    }
    let walk = try Python.run([
      Self.script.path, "--muster", try Program.located().path, "--port", "0",
      "--patience", "900",
    ])
    #expect(walk.status == 0, "\(walk.output)")
    #expect(walk.output.contains("nothing ran"), "\(walk.output)")
  }

  private static func isInstalled(_ name: String) -> Bool {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
    }
  }
}
