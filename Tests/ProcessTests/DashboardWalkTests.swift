import Foundation
import MusterTestKit
import Testing

/// The dashboard of a real node in a real browser. Separate from `ProcessTests`, whose tests are
/// shorter; one after another, since a browser needs all of a small machine.
@Suite(.serialized, .timeLimit(.minutes(30)))
struct DashboardWalkTests {
  private static let script = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Browser/dashboard.py")

  @Test(.needsBrowser)
  func `every status, a distress and an order are shown to leader and member`() async throws {
    let script = Self.script.deletingLastPathComponent().appending(path: "picture.py")
    let walk = try await Python.run([script.path])
    #expect(walk.status == 0, "\(walk.output)")
  }

  @Test(.needsBrowser)
  func `a replay shows what happened, what the leader knew, and dangers of now`() async throws {
    let script = Self.script.deletingLastPathComponent().appending(path: "replay.py")
    let walk = try await Python.run([
      script.path, "--muster", try Program.located().path, "--patience", "300",
    ])
    #expect(walk.status == 0, "\(walk.output)")
  }

  @Test(.needsBrowser)
  func `maps from files are drawn, added and chosen`() async throws {
    let script = Self.script.deletingLastPathComponent().appending(path: "maps.py")
    let walk = try await Python.run([script.path, "--muster", try Program.located().path])
    #expect(walk.status == 0, "\(walk.output)")
  }

  @Test(.needsBrowser)
  func `a caller sees who saw the call, and command answers with one click`() async throws {
    let script = Self.script.deletingLastPathComponent().appending(path: "call.py")
    let walk = try await Python.run([
      script.path, "--muster", try Program.located().path, "--patience", "300",
    ])
    #expect(walk.status == 0, "\(walk.output)")
  }

  @Test(.needsBrowser)
  func `a hazard that a member enters shows and sounds on the leader's page`() async throws {
    let walk = try await Python.run([
      Self.script.path, "--muster", try Program.located().path, "--port", "0", "--hazard",
      "--patience", "900",
    ])
    #expect(walk.status == 0, "\(walk.output)")
  }

  @Test(.needsBrowser)
  func `what a phone's user enters out of range arrives once`() async throws {
    let script = Self.script.deletingLastPathComponent().appending(path: "offline.py")
    let walk = try await Python.run([
      script.path, "--muster", try Program.located().path, "--patience", "900",
    ])
    #expect(walk.status == 0, "\(walk.output)")
    #expect(walk.output.contains("nothing was lost or doubled"), "\(walk.output)")
  }

  @Test(.needsBrowser)
  func `the page of a phone shows and sounds what concerns its owner first`() async throws {
    let script = Self.script.deletingLastPathComponent().appending(path: "owner.py")
    let walk = try await Python.run([
      script.path, "--muster", try Program.located().path, "--patience", "300",
    ])
    #expect(walk.status == 0, "\(walk.output)")
  }

  @Test(.needsBrowser)
  func `each action of the dashboard has its effect`() async throws {
    let walk = try await Python.run([
      Self.script.path, "--muster", try Program.located().path, "--port", "0",
      "--patience", "900",
    ])
    #expect(walk.status == 0, "\(walk.output)")
    #expect(walk.output.contains("nothing ran"), "\(walk.output)")
  }
}
