internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct DeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device",
    abstract: "The laptops of the operation.",
    discussion: "Example:  muster device list",
    subcommands: [List.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists all enrolled laptops.",
      discussion: """
        Example:  muster device list

        The rank is how many admissions lie between a laptop and the operation's root.
        """)

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      guard case .devices(let devices) = try await Door.open(home).ask(.devices) else {
        throw Refusal.unexpectedReply
      }
      if output.json { return try Standard.print(JSON.array(devices.map(\.json)).text) }
      var table = Table(["DEVICE", "CALLSIGN", "ROLE", "RANK", ""])
      for device in devices {
        table.add([
          .init(device.id.short), .init(device.callsign, .strong), .init(device.role.name),
          .init("\(device.rank)"), Self.remark(on: device),
        ])
      }
      try Standard.print(table.text(on: .current))
    }

    private static func remark(on device: DeviceSummary) -> Table.Cell {
      switch (device.isRevoked, device.isThisDevice) {
      case (true, true): .init("REVOKED ← this laptop", .bad)
      case (true, false): .init("REVOKED", .bad)
      case (false, true): .init("← this laptop", .faint)
      case (false, false): .init("")
      }
    }
  }
}
