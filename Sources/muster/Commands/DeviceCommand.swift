internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct DeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device",
    abstract: "List the enrolled devices.",
    discussion: "Example:  muster device list",
    subcommands: [List.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List all enrolled devices.",
      discussion: """
        Example:  muster device list

        RANK is the number of certificates between a device and the operation's root key.
        """)

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      guard case .devices(let devices) = try await NodeConnection.open(home).ask(.devices) else {
        throw Refusal.unexpectedReply
      }
      if output.json { return try Standard.print(JSON.array(devices.map(\.json)).text) }
      var table = Table(["CALLSIGN", "ROLE", "RANK", "DEVICE", ""])
      for device in devices {
        table.add([
          .init(device.callsign, .strong), .init(device.role.name), .init("\(device.rank)"),
          .init(device.id.short), Self.remark(on: device),
        ])
      }
      try Standard.print(table.text(on: .current))
    }

    private static func remark(on device: DeviceSummary) -> Table.Cell {
      switch (device.isRevoked, device.isThisDevice) {
      case (true, true): .init("REVOKED ← this laptop", .bad)
      case (true, false): .init("REVOKED", .bad)
      case (false, _) where device.isDisputed:
        .init("DISPUTED: \(device.votes) of \(device.quorum) votes to revoke", .bad)
      case (false, true): .init("← this laptop", .faint)
      case (false, false): .init(device.isCouncilMember ? "council" : "", .faint)
      }
    }
  }
}
