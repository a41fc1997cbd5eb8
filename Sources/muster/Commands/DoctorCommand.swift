internal import ArgumentParser
internal import MusterControl
internal import MusterInterchange
internal import MusterNode

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check that this laptop is ready to run a node.",
    discussion: """
      Example:  muster doctor

      Checks permissions, disk, port, multicast, the map of this place, position source, clock and \
      photos, with the settings of `muster run`. Changes nothing. The exit \
      code is 1 if a node cannot run, or not safely.
      """)

  @OptionGroup(title: "Node") var home: HomeOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let findings = try await ProgressLine.during("Checking") { _ in try await self.findings() }
    let isFit = !findings.contains { $0.state == .bad }
    if output.json {
      let document: [String: JSON] = [
        "ok": .bool(isFit), "findings": .array(findings.map(\.json)),
      ]
      try Standard.print(JSON.object(document).text)
    } else {
      try show(findings)
    }
    if !isFit { throw Refusal("this laptop is not ready: correct what is marked ✖ above") }
  }

  private func findings() async throws -> [Finding] {
    let settings = try Settings(home: home.folders)
    let path = try ControlSocketPath(home.folders.socketPath)
    let network = NetworkCheck(
      listen: try settings.value(of: .listen, AddressArgument.init(parsing:))?.text
        ?? "0.0.0.0:7474",
      isRunning: try await ControlClient(path: path).isListening(),
      usesMulticast: try settings.flag(.multicast) ?? true)
    let receiver = ReceiverCheck(
      gpsd: try settings.value(of: .gpsd, GpsdArgument.init(parsing:)),
      nmea: try settings.value(of: .nmea, NMEAArgument.init(parsing:)))
    let maps = MapCheck(home: home, files: try settings.values(of: .map) { $0 } ?? [])
    return HomeCheck(home: home.folders).findings()
      + (try await DeviceCheck(home: home).findings()) + (await network.findings())
      + (try await maps.findings())
      + (await receiver.findings()) + (await ProximityCheck().findings())
      + (await PhotoCheck().findings())
  }

  private func show(_ findings: [Finding]) throws {
    var table = Table(["", "CHECK", "RESULT", "WHAT TO DO"])
    for finding in findings {
      table.add([
        finding.cell, .init(finding.subject, .strong),
        .init(finding.words, isWhole: finding.state != .good), .init(finding.advice, isWhole: true),
      ])
    }
    try Standard.print(table.text(on: .current))
  }
}
