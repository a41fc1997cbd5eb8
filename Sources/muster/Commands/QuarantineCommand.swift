internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct QuarantineCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quarantine",
    abstract: "What revoked laptops wrote past their revocation: held, and counted nowhere.",
    discussion: """
      Example:  muster quarantine list
                muster quarantine release 3f9a
      """,
    subcommands: [List.self, Release.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists what is held and counts for nothing.",
      discussion: "Example:  muster quarantine list")

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      guard case .quarantine(let frames) = try await Door.open(home).ask(.quarantine) else {
        throw Refusal.unexpectedReply
      }
      if output.json { return try Standard.print(JSON.array(frames.map(\.json)).text) }
      guard !frames.isEmpty else { return try Standard.print("Nothing is in quarantine.") }
      var table = Table(["FRAME", "LAPTOP", "CALLSIGN", "WRITTEN", "SAYS"])
      for frame in frames {
        table.add([
          .init(String(frame.hash.description.prefix(8))), .init(frame.device.short),
          .init(frame.callsign, .strong),
          .init(frame.writtenAt.map { "\($0)" } ?? "?"),
          .init(
            frame.contents.isEmpty
              ? "unreadable here" : SafeText.line(frame.contents.joined(separator: "; "))),
        ])
      }
      try Standard.print(table.text(on: .current))
    }
  }

  struct Release: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lets what a revoked laptop wrote count after all.",
      discussion: """
        Example:  muster quarantine release 3f9a

        The frame, or with the id of a laptop all that is held of it, counts from then on \
        everywhere as if it had come before the revocation, under its author's name. The laptop \
        stays revoked. Command only.
        """)

    @Argument(help: "The frame, or the laptop.", transform: RowArgument.init(parsing:))
    var frame: RowArgument

    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var home: HomeOptions

    func run() async throws {
      let door = try await Door.open(home)
      try confirmation.confirm(
        "This accepts what a revoked device wrote, on every device", name: frame.prefix)
      guard
        case .released(let count) = try await door.change(.release(frame.prefix))
      else { throw Refusal.unexpectedReply }
      try Standard.print("\(Words.count(count, "frame counts", "frames count")) from now on")
    }
  }
}
