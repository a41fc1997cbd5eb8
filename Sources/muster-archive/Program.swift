internal import ArgumentParser
internal import Foundation
internal import Logging
internal import MusterNode

/// The program of the shared archive. A node neither links it nor needs it.
struct ArchiveProgram: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "muster-archive",
    abstract: "Archive operations in PostgreSQL.",
    discussion: """
      Any number of posts feed one archive. Each frame is verified before it is stored, and stored \
      once.

        createdb county
        muster-archive import flood.bundle --database postgres:///county
        muster-archive follow --database postgres:///county
        muster-archive status --database postgres:///county
        muster-archive serve --database postgres:///county
      """,
    subcommands: [
      ImportCommand.self, FollowCommand.self, ProjectCommand.self, SearchCommand.self,
      StatusCommand.self, ExportCommand.self, ServeCommand.self, TokenCommand.self,
    ])
}

/// One line on standard error and exit code 1 for a failure, 64 for bad usage.
@main
enum Program {
  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    ProcessLimits.forbidCoreDumps()
    ProcessLimits.makeNewFilesPrivate()
    LoggingSystem.bootstrap { label in
      var handler = StreamLogHandler.standardError(label: label)
      handler.logLevel = .warning
      return handler
    }
    do {
      let arguments = Array(CommandLine.arguments.dropFirst())
      ProcessArguments.hideSecrets()
      var command = try ArchiveProgram.parseAsRoot(arguments)
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      if ArchiveProgram.exitCode(for: error) != .failure { ArchiveProgram.exit(withError: error) }
      Standard.complain("\(error)")
      exit(1)
    }
  }
}
