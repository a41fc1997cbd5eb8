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

  @Test(.needsBrowser, arguments: ["lists.py", "acts.py"])
  func `lists keep their promises, and what a leader did can be undone`(name: String) async throws {
    let walk = try await Python.run([
      Self.script.deletingLastPathComponent().appending(path: name).path
    ])
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
  func `the worst alarm is first, and a warning is put aside`() async throws {
    let script = Self.script.deletingLastPathComponent().appending(path: "alarms.py")
    let walk = try await Python.run([script.path, "--muster", try Program.located().path])
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

  /// `MUSTER_VOLUME=60` runs more rounds.
  @Test(.needsBrowser)
  func `a call for help that waits is sent at once when the node answers, and never by a login`()
    async throws
  {
    let script = Self.script.deletingLastPathComponent().appending(path: "calls.py")
    let walk = try await Python.run([
      script.path, "--muster", try Program.located().path, "--patience", "300",
      "--rounds", "\(Volume.orUsual(4))", "--seed", "80",
    ])
    #expect(walk.status == 0, "\(walk.output)")
    #expect(walk.output.contains("no call waited"), "\(walk.output)")
  }

  /// `MUSTER_VOLUME=1000` draws more sequences, and `MUSTER_TEST_SEED` repeats those of a seed.
  @Test(.needsNode)
  func `no drawn sequence of faults loses, doubles or delays a call that waits in the page`()
    async throws
  {
    let script = Self.script.deletingLastPathComponent().appending(path: "queue.mjs")
    let seed = Volume.onlySeed ?? UInt64.random(in: 1...999_999)
    let run = try await Python.run([
      "-c", "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode)",
      "node", "--no-warnings", "--experimental-vm-modules", script.path,
      "--sequences", "\(Volume.orUsual(100))", "--seed", "\(seed)",
    ])
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.contains("0 failures"), "\(run.output)")
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
