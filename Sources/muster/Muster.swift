internal import ArgumentParser
internal import Foundation
internal import Logging

/// The command line: parses words into values that cannot be wrong, puts a command to the node of a
/// home (running or opened here), and shows the answer to a person or, with `--json`, a program.
struct Muster: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "muster",
    abstract: "Keep a field team in step without internet: who is where, what is dangerous.",
    discussion: """
      Every laptop holds all of the operation and passes it on to whoever it can hear.

      The first laptop:     muster init "River flood" --callsign Anna
                            muster run
        in a second window: muster invite
      Each further laptop:  muster join 'muster://join/…' --callsign Ben
                            muster run

      While a node runs, the other commands talk to it; without one they work on this laptop's \
      own copy, which is sent on when `muster run` runs again.
      """,
    version: "0.1.0",
    subcommands: [],
    groupedSubcommands: [
      CommandGroup(
        name: "Operation",
        subcommands: [
          InitCommand.self, InviteCommand.self, JoinCommand.self, AdmitCommand.self,
          RunCommand.self, StatusCommand.self, PeersCommand.self,
        ]),
      CommandGroup(
        name: "In the field",
        subcommands: [
          ReportCommand.self, FenceCommand.self, UserCommand.self, PositionCommand.self,
          PermitCommand.self,
          EventCommand.self, DirectCommand.self, AckCommand.self, AlertCommand.self,
          WatchCommand.self,
        ]),
      CommandGroup(
        name: "Upkeep",
        subcommands: [
          SettingsCommand.self, DeviceCommand.self, RevokeCommand.self, QuarantineCommand.self,
          EpochCommand.self, LoginCommand.self, WebhookCommand.self,
          VerifyCommand.self, BundleCommand.self, ExportCommand.self, DoctorCommand.self,
        ]),
    ])
}

/// The program: one exit code and at most two lines on standard error for a failure.
@main
enum Program {
  static func main() async {
    // A reader that closes the pipe, such as `head`, must not kill a node: `write` reports it.
    signal(SIGPIPE, SIG_IGN)
    CoreDumps.forbid()
    LoggingSystem.bootstrap { label in
      var handler = StreamLogHandler.standardError(label: label)
      handler.logLevel = .notice
      return handler
    }
    do {
      let arguments = CommandLine.arguments.dropFirst().map(CoordinateArguments.shielded)
      if let unknown = CommandTree.unknownCommand(in: arguments) {
        Standard.explain("\(unknown)")
        exit(ExitCode.validationFailure.rawValue)
      }
      var command = try Muster.parseAsRoot(arguments)
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch is ClosedOutput {
      exit(0)
    } catch {
      leave(error)
    }
  }

  private static func leave(_ error: any Error) -> Never {
    switch Muster.exitCode(for: error) {
    case _ where error is ExitCode: Muster.exit(withError: error)
    case .success: answer(UsageMessage.answer(error, on: .current))
    case .validationFailure: Standard.explain(UsageMessage.complaint(error))
    default: Standard.complain("\(error)")
    }
    exit(Muster.exitCode(for: error).rawValue)
  }

  /// Prints help; a reader that has closed the output has seen enough.
  private static func answer(_ text: String) {
    do {
      try Standard.print(text)
    } catch {
      exit(0)
    }
  }
}
