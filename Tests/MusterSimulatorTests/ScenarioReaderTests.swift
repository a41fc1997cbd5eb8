import Foundation
import MusterModel
import Testing

@testable import MusterSimulator

@Suite struct ScenarioReaderTests {
  private let good = """
    story: Two meet.
    duration: 10m
    nodes:
      - {name: anna, role: command}
      - {name: team, count: 2, at: [100, -50], walks: 1.4m/s}
    network: {loss: 1%, delay: 1ms..20ms, shared: 64kbit/s}
    events:
      - {at: 1m, cut: [[anna], [team]]}
      - {at: 2m, heal: true}
    """

  @Test func `a valid file is read as intended`() throws {
    let scenario = try ScenarioReader.read(good, file: "x/meeting.yaml")
    #expect(scenario.name == "meeting")
    #expect(scenario.nodes.map(\.name) == ["anna", "team-1", "team-2"])
    #expect(scenario.network.conditions.lossPerMillion == 10_000)
    #expect(scenario.network.medium == .shared(bitsPerSecond: 64_000))
    #expect(scenario.timeline.first?.event == .cut([["anna"], ["team-1", "team-2"]]))
    #expect(scenario.nodes[1].place == GroundPoint(north: 100, east: -50))
  }

  @Test(
    "bad input is refused with its file, line and reason",
    arguments: [
      ("duration: 10m", "duration: 10m\ncolour: red", "f.yaml:3: unknown key 'colour'"),
      ("loss: 1%", "losses: 1%", "f.yaml:6: unknown key 'losses'"),
      ("loss: 1%", "loss: 101%", "f.yaml:6: 'loss' has to be a share like 1% or 0.05%"),
      ("at: 2m", "at: 11m", "f.yaml:9: at 11m the scenario is over: it ends at 10m"),
      ("at: 2m", "at: -1m", "f.yaml:9: 'at' has to be a time like"),
      ("at: 2m", "at: soon", "f.yaml:9: 'at' has to be a time like"),
      ("name: team, count: 2", "name: anna", "f.yaml:5: 'anna' is named twice"),
      ("walks: 1.4m/s", "track: none.csv", "f.yaml:5: track 'none.csv': there is no such file"),
      ("[[anna], [team]]", "[[anna], [ben]]", "f.yaml:8: no node has the name 'ben'"),
      ("[[anna], [team]]", "[[anna], [team, anna]]", "f.yaml:8: a node is on two sides"),
      ("role: command", "role: member", "f.yaml:4: the first node founds: its role is command"),
      ("story: Two meet.", "story: [", "f.yaml:"),
      ("heal: true", "explode: true", "f.yaml:9: an event needs an action"),
      ("heal: true", "restore: anna", "f.yaml:9: 'anna' has no backup to restore"),
      ("heal: true", "revoke: team-1", "f.yaml:9: 'revoke' needs 'by'"),
      ("heal: true", "revoke: team-1, by: team-2", "f.yaml:9: 'team-2' may not revoke"),
      ("heal: true", "revoke: anna, by: anna", "f.yaml:9: no device is senior to 'anna'"),
      ("heal: true", "overfill: anna, every: 1s", "f.yaml:9: no device can revoke 'anna'"),
      ("count: 2", "admitted_by: anna", "f.yaml:5: 'admitted_by' has to be a commander above"),
      ("story: Two meet.\n", "", "f.yaml:1: 'story' is missing"),
      ("duration: 10m", "duration: 10m\nduration: 20m", "f.yaml:"),
    ])
  func refusals(original: String, replacement: String, message: String) throws {
    let text = good.replacingOccurrences(of: original, with: replacement)
    #expect(text != good)
    let fault = #expect(throws: ScenarioFault.self) {
      try ScenarioReader.read(text, file: "f.yaml")
    }
    #expect(fault?.description.hasPrefix(message) == true, "\(fault?.description ?? "nothing")")
  }

  @Test(
    "quantities are read exactly",
    arguments: [
      ("20s", 20_000), ("1.5m", 90_000), ("250ms", 250), ("-3d", -259_200_000), ("10y", nil),
      ("1e3s", nil), ("s", nil), ("5", nil), ("99999999999999d", nil),
    ] as [(String, Int64?)])
  func durations(text: String, milliseconds: Int64?) {
    let expected = text == "10y" ? 315_576_000_000 : milliseconds
    #expect(Quantity.milliseconds(text) == expected)
  }

  @Test("every scenario file can be read", arguments: ["simulations", "regressions"])
  func shipped(folder: String) throws {
    let root = URL(filePath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "simulations")
    let place = folder == "simulations" ? root : root.appending(path: folder)
    for file in try FileManager.default.contentsOfDirectory(atPath: place.path).sorted()
    where file.hasSuffix(".yaml") {
      let scenario = try Scenario(file: place.appending(path: file).path)
      #expect(!scenario.story.isEmpty, "\(file)")
    }
  }
}
