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

/// The program: one exit code and at most one line on standard error, whatever happens.
@main
enum Program {
  static func main() async {
    // A reader that has seen enough, such as `head`, must not kill a node: writing tells us.
    signal(SIGPIPE, SIG_IGN)
    CoreDumps.forbid()
    LoggingSystem.bootstrap { label in
      var handler = StreamLogHandler.standardError(label: label)
      handler.logLevel = .notice
      return handler
    }
    do {
      let arguments = CommandLine.arguments.dropFirst().map(CoordinateArguments.shielded)
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
    // Help, the version and bad usage are the parser's; what is left, a command has thrown.
    if error is ExitCode || Muster.exitCode(for: error) != .failure {
      Muster.exit(withError: error)
    }
    Standard.complain("\(error)")
    exit(1)
  }
}
