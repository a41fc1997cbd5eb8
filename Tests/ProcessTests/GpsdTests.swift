import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  /// A real gpsd, to which gpsfake sends a recording of a real receiver.
  @Suite struct GpsdTests {
    private static let log = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "shared/tracks/bu303-moving.nmea.log")

    /// `MUSTER_GPSFAKE` names one that is not installed; its dependencies are then expected beside
    /// it, in the layout of `dpkg -x`.
    private static var gpsfake: URL? {
      let named = ProcessInfo.processInfo.environment["MUSTER_GPSFAKE"]
      let path = named ?? "/usr/bin/gpsfake"
      return FileManager.default.isExecutableFile(atPath: path) ? URL(filePath: path) : nil
    }

    private func feed(_ gpsfake: URL, port: UInt16) throws -> Process {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/python3")
      process.arguments = [
        gpsfake.path, "-q", "-c", "0.02", "-P", "\(port)", Self.log.path,
      ]
      let root = gpsfake.deletingLastPathComponent().deletingLastPathComponent()
      process.environment = [
        "PATH": "/usr/bin:/bin:/usr/sbin",
        "PYTHONPATH": root.appending(path: "lib/python3/dist-packages").path,
        "LD_LIBRARY_PATH": root.appending(path: "lib/x86_64-linux-gnu").path,
      ]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      return process
    }

    /// Kills gpsfake, which ignores other signals, and the gpsd that it started.
    private func stop(_ process: Process) throws {
      guard process.isRunning else { return }
      let pid = process.processIdentifier
      let shell = Process()
      shell.executableURL = URL(filePath: "/bin/sh")
      shell.arguments = ["-c", "kill -9 $(pgrep -P \(pid)) \(pid)"]
      try shell.run()
      shell.waitUntilExit()
      process.waitUntilExit()
    }

    private func expectStopped(_ process: Process) {
      #expect(throws: Never.self) { try stop(process) }
    }

    @Test(
      .enabled(
        if: gpsfake != nil && Installed.has("gpsd"), "needs gpsd and gpsd-clients (gpsfake)"),
      .enabled(if: Installed.hasFile(log), "needs ../shared/tracks/bu303-moving.nmea.log"))
    func `fixes continue after gpsd was killed and restarted`() async throws {
      let gpsfake = try #require(Self.gpsfake)
      let port = try FreePort.next()
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        try await anna.send("fence", "add", "--name", "Adelboden", "--circle", "46.498,7.567,500")
        let node = try await anna.run(peers: [], "--gpsd", "127.0.0.1:\(port)")
        #expect(try await anna.ask("status")["location"]["state"].text == "waiting")

        let first = try feed(gpsfake, port: port)
        defer { expectStopped(first) }
        try await eventually("gpsd reports Anna's position in Adelboden") {
          try await anna.ask("event", "list").items.map { $0["type"].text } == ["ENTER"]
        }
        let status = try await anna.ask("status")
        #expect(status["fix"]["source"].text == "gpsd 127.0.0.1:\(port)")
        #expect(status["fix"]["accuracyMetres"].number ?? 0 > 0)
        // A log from 2005, through a current gpsd.
        let replaced = "date replaced by the time of arrival"
        #expect(status["location"]["refused"][replaced].number ?? 0 > 0)

        try stop(first)
        try await eventually("Anna's node detects the loss of gpsd") {
          try await anna.ask("status")["location"]["state"].text == "waiting"
        }
        let before = try await anna.ask("status")["location"]["refused"][replaced].number ?? 0
        let second = try feed(gpsfake, port: port)
        defer { expectStopped(second) }
        try await eventually("fixes continue") {
          try await anna.ask("status")["location"]["refused"][replaced].number ?? 0 > before
        }
        try await node.stop()
        try await anna.requireSound()
      }
    }
  }
}
