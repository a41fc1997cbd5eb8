internal import ArgumentParser
internal import Foundation
internal import Logging
internal import MusterModel
internal import MusterNode

/// The command line: parses arguments, sends a command to the node of a home (the running one, or
/// one opened in this process), and prints the reply for a person or, with `--json`, for a program.
struct Muster: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "muster",
    abstract: "See who is safe and who is in danger, without internet.",
    discussion: """
      Every laptop runs a node with all data of the operation. Nodes synchronize with every peer \
      in reach.

      First laptop:       muster init "River flood" --callsign Anna
                          muster run
        second terminal:  muster invite
      Each other laptop:  muster join 'muster://join/…' --callsign Ben
                          muster run

      Commands use the running node. Without one they write to its data, which is sent when \
      `muster run` starts. Commands that cannot be undone ask you to type a name; scripts give \
      --yes. `muster COMMAND --help` explains a command.

      The node is that in --home DIR ($MUSTER_HOME, else ~/.local/share/muster), with its keys in \
      --keys DIR ($MUSTER_KEYS, else in the home). Encrypted keys need --passphrase-file FILE or \
      $MUSTER_PASSPHRASE, else the passphrase is asked for.
      """,
    version: "0.1.0, rules \(RulesVersion.current.raw)",
    subcommands: [],
    groupedSubcommands: [
      CommandGroup(
        name: "Start",
        subcommands: [
          InitCommand.self, RunCommand.self, InviteCommand.self, JoinCommand.self,
          AdmitCommand.self, StatusCommand.self, DoctorCommand.self,
        ]),
      CommandGroup(
        name: "Field",
        subcommands: [
          UserCommand.self, ReportCommand.self, FenceCommand.self, DirectCommand.self,
          AckCommand.self, AlertCommand.self, CallCommand.self, EventCommand.self,
          WatchCommand.self,
          HistoryCommand.self, PositionCommand.self, PermitCommand.self, CheckInCommand.self,
          ContactCommand.self, RosterCommand.self, ProximityLogCommand.self, SOSCommand.self,
          MapCommand.self,
        ]),
      CommandGroup(
        name: "Data exchange",
        subcommands: [
          PeersCommand.self, BundleCommand.self, ExportCommand.self, WebhookCommand.self,
        ]),
      CommandGroup(
        name: "Administration",
        subcommands: [
          DeviceCommand.self, RevokeCommand.self, CouncilCommand.self, QuarantineCommand.self,
          EpochCommand.self, LoginCommand.self, AccessKeyCommand.self, TokenCommand.self,
          CertificateCommand.self,
          SettingsCommand.self, VerifyCommand.self,
        ]),
    ])
}

/// The program: one exit code and at most two lines on standard error for a failure.
@main
enum Program {
  static func main() async {
    // A reader that closes the pipe, such as `head`, must not kill a node: `write` reports it.
    signal(SIGPIPE, SIG_IGN)
    ProcessLimits.forbidCoreDumps()
    ProcessLimits.makeNewFilesPrivate()
    LoggingSystem.bootstrap { label in
      var handler = StreamLogHandler.standardError(label: label)
      handler.logLevel = .notice
      return handler
    }
    let given = CommandLine.arguments.dropFirst().map { TextRule.withLineFeeds($0) }
    let arguments = CoordinateArguments.joined(given).map(CoordinateArguments.shielded)
    ProcessArguments.hideSecrets()
    do {
      guard !arguments.isEmpty else { return try Standard.print(Beginning.text) }
      if let unknown = CommandTree.unknownCommand(in: arguments) {
        Standard.explain(ProcessArguments.withoutSecrets("\(unknown)", of: arguments))
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
      leave(error, arguments)
    }
  }

  private static func leave(_ error: any Error, _ arguments: [String]) -> Never {
    switch Muster.exitCode(for: error) {
    case _ where error is ExitCode: Muster.exit(withError: error)
    case .success: answer(UsageMessage.answer(error, on: .current))
    case .validationFailure:
      let complaint = UsageMessage.complaint(error, about: arguments)
      Standard.explain(ProcessArguments.withoutSecrets(complaint, of: arguments))
    default: Standard.complain(ProcessArguments.withoutSecrets("\(error)", of: arguments))
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
