import ArgumentParser
import Foundation
import Testing

@testable import muster

/// The commands, flags and targets that people's notes and scripts rely on. More may be added; these
/// are not renamed. The keys of their JSON are in `EverydayTests` and `SimulatorProcessTests`.
@Suite struct `Commands that scripts rely on` {
  private static let repository = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// One a line, as a shell would take it.
  private static let commands = """
    init Flood --callsign Anna --home flood --keys keys
    invite --role member --uses 5 --expires 24h --json
    invite --role command
    invite --role observer
    invite --role relay
    invite list --json
    invite withdraw 3f9a --json
    join --request ben.request --callsign Ben
    admit ben.request --out ben.grant
    join --grant ben.grant
    run --listen 0.0.0.0:7474 --peer 10.0.0.2:7474 --peer 10.0.0.3:7474 --no-multicast
    run --http 127.0.0.1:7480 --serve 0.0.0.0:7443 --uplink https://post.example:7443
    run --gpsd localhost:2947 --link-rate 64kbit
    run --nmea /dev/ttyUSB0
    run --nmea -
    status --json
    report add --title T --description D --category fire --severity 3 --at 40.40,-7.53 --evacuate
    report add --title T --photo a.jpg b.jpg --json
    report import hydrants.gpx --category access --severity 2 --strict --json
    report list --json
    report show T --json
    report edit T --title U --severity 4
    report delete T
    report confirm T
    report comment T Seen
    report photo T 1 --out a.jpg
    fence add --name N --kind muster --circle 40.41,-7.55,300
    fence add --name N --kind hazard --circle 40.41,-7.55,300
    fence add --name N --kind info --geojson outline.geojson
    fence list --json
    fence show N --json
    fence activate N
    fence deactivate N
    fence delete N
    fence export
    user list --json
    user status safe
    user status help --note Trapped
    zone add --name N --kind muster --circle 40.41,-7.55,300
    zone import areas.kml --kind assembly --radius 50 --strict --json
    zone list --json
    zone show N --json
    zone activate N
    zone deactivate N
    zone delete N
    zone export
    position set 40.40,-7.53 --accuracy 5 --time 2026-01-02T03:04:05Z
    alert list --json
    alert ack 3f9a
    alert shelve 3f9a --minutes 15 --reason R
    alert unshelve 3f9a
    event list --json
    event follow --json
    direct evacuate
    direct rollcall
    direct locate Ben
    direct message Return
    order evacuate
    order muster
    order rollcall
    order locate Ben
    order message Return
    order list --json
    order show 3f9a --json
    order close 3f9a
    ack 3f9a
    device list --json
    revoke Ben
    epoch rotate
    quarantine list --json
    quarantine release 3f9a
    bundle create flood.bundle
    bundle merge flood.bundle
    export --format geojson
    export --format csv
    export --format gpx
    verify --json
    watch
    doctor
    """

  @Test(arguments: commands.split(separator: "\n").map(String.init))
  func `are parsed`(command: String) throws {
    let words = command.split(separator: " ").map(String.init)
    #expect(CommandTree.unknownCommand(in: words) == nil)
    _ = try Muster.parseAsRoot(words.map(CoordinateArguments.shielded))
  }

  // A whole invite and a track cannot be written here: the help has their flags.
  @Test(
    arguments: [
      (JoinCommand.self, ["<url>", "--callsign", "--timeout"]),
      (RunCommand.self, ["--gpx", "--speed"]),
    ] as [(any ParsableCommand.Type, [String])])
  func `have their flags in the help`(command: any ParsableCommand.Type, flags: [String]) {
    let help = Muster.helpMessage(for: command)
    for flag in flags { #expect(help.contains(flag), "\(flag)") }
  }

  @Test func `are beside the same targets of make and the same benchmarks`() throws {
    let makefile = try String(
      contentsOf: Self.repository.appending(path: "Makefile"), encoding: .utf8)
    for target in ["demo", "test", "check", "sim", "bench", "fuzz", "clean"] {
      #expect(makefile.contains("\n\(target):"), "make \(target)")
    }
    for line in makefile.matches(of: /\n([a-z]+):[^#\n]*## (.*)/) {
      #expect(line.1.count < 10 && line.2.count <= 63, "make help exceeds 80 columns: \(line.2)")
    }
    let folder = Self.repository.appending(path: "Benchmarks/muster-bench")
    let sources = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil
    ).filter { $0.pathExtension == "swift" }.map { try String(contentsOf: $0, encoding: .utf8) }
    for bench in [
      "geofence", "ingest", "merge", "incremental", "digest", "commit", "seal", "coldstart",
    ] {
      let name = "commandName: \"\(bench)\""
      #expect(sources.contains { $0.contains(name) }, "muster-bench \(bench)")
    }
    for option in ["updates", "logs", "stale", "operations"] {
      #expect(sources.contains { $0.contains("var \(option)") }, "--\(option)")
    }
    let measurement = try #require(sources.first { $0.contains("struct Measurement") })
    for key in ["bench", "value", "unit", "limit", "ratio", "note"] {
      #expect(measurement.contains("  var \(key): "), "the key \(key) of muster-bench")
    }
  }
}
