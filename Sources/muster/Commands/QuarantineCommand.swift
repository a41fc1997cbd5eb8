internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct QuarantineCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quarantine",
    abstract: "Review data that revoked devices wrote.",
    discussion: """
      Example:  muster quarantine list
                muster quarantine release Ben

      Frames that a device wrote after its revocation are kept in quarantine, without effect.
      """,
    subcommands: [List.self, Release.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the frames in quarantine.",
      discussion: "Example:  muster quarantine list")

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var times: TimeOptions

    func run() async throws {
      guard case .quarantine(let frames) = try await NodeConnection.open(home).ask(.quarantine)
      else {
        throw Refusal.unexpectedReply
      }
      if output.json { return try Standard.print(JSON.array(frames.map(\.json)).text) }
      guard !frames.isEmpty else { return try Standard.print("Nothing is in quarantine.") }
      var table = Table(
        ["FRAME", "CALLSIGN", "DEVICE", "WRITTEN", "CONTENT"], optional: ["DEVICE", "WRITTEN"])
      for frame in frames {
        table.add([
          .init(String(frame.hash.description.prefix(8))), .init(frame.callsign, .strong),
          .init(frame.device.short), .init(frame.writtenAt.map(times.format.text) ?? "unknown"),
          .init(
            frame.contents.isEmpty
              ? "not readable here" : SafeText.line(frame.contents.joined(separator: "; "))),
        ])
      }
      try Standard.print(table.text(on: .current))
    }
  }

  struct Release: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Accept data that a revoked device wrote.",
      discussion: """
        Example:  muster quarantine release 3f9a

        Releases one frame, or all frames of a device. Every node then treats them as written \
        before the revocation. The device stays revoked. Needs role command.
        """)

    @Argument(help: "The frame by id, or the device by id or callsign.")
    var frame: String

    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      var id = frame
      if IdentifierPrefix(frame) == nil { id = "\(try await connection.device(named: frame).id)" }
      try confirmation.confirm(
        "This accepts data that a revoked device wrote, on every device", name: frame)
      guard
        case .released(let count) = try await connection.change(.release(id))
      else { throw Refusal.unexpectedReply }
      try Standard.print("\(ValueText.count(count, "frame", "frames")) released")
    }
  }
}
