internal import ArgumentParser
internal import Foundation
internal import UnixSignals

@main
struct MusterDemo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "muster-demo",
    abstract: "Run three nodes through a partition until they converge.",
    discussion: """
      Runs three real nodes on this computer, gives them commands as people would, cuts the link \
      to one of them, restores it, and checks what they then show. Exits with 1 if a promise is \
      violated, and ends every process that it has started.
      """)

  @Option(help: ArgumentHelp("Path of muster. (default: beside this program)", valueName: "path"))
  var muster: String?

  @Option(help: ArgumentHelp("Folder for the three homes and the logs.", valueName: "dir"))
  var directory = ".demo"

  @Option(help: ArgumentHelp("Folder for the three key folders.", valueName: "dir"))
  var keys = "keys"

  @Option(help: ArgumentHelp("Ben's track (GPX).", valueName: "file"))
  var track = "simulations/tracks/valley-walk.gpx"

  @Flag(help: "Keep the nodes running until Ctrl-C, with a dashboard.")
  var keep = false

  /// The preferred port of the dashboard.
  private static let preferredPort = 7480

  func run() async throws {
    // If the reader closes the output, the demo must still end its nodes.
    signal(SIGPIPE, SIG_IGN)
    let screen = Screen()
    do {
      let program = try program()
      let environment = try await DemoEnvironment(
        program: program, directory: URL(filePath: directory), keys: URL(filePath: keys),
        track: try readable(track),
        dashboard: keep ? try await FreePort.find(preferred: Self.preferredPort) : nil,
        screen: screen)
      switch await play(on: environment, screen: screen) {
      case .over(let outcome, let unclean):
        try conclude(outcome, unclean: unclean, program: program, screen: screen)
      case .failed(let error):
        try await environment.story.progress.clear()
        if error is ClosedOutput { throw error }
        throw Failure("\(error)\n\(whereToLook)")
      case .stopped(let signal):
        try await environment.story.progress.clear()
        complain("stopped; its nodes have ended")
        throw ExitCode(128 + signal.rawValue)
      case .kept: preconditionFailure("its nodes run on after the end")
      }
    } catch let code as ExitCode {
      throw code
    } catch is ClosedOutput {
      throw ExitCode(1)
    } catch {
      complain("\(error)")
      throw ExitCode(1)
    }
  }

  private func program() throws -> URL {
    // As the program was called, which reads better than its absolute path.
    let own = CommandLine.arguments[0]
    let itself = own.contains("/") ? URL(filePath: own) : Bundle.main.executableURL
    let beside = itself?.deletingLastPathComponent().appending(path: "muster")
    guard let program = muster.map({ URL(filePath: $0) }) ?? beside,
      FileManager.default.isExecutableFile(atPath: program.path)
    else { throw Failure("muster was not found: build it, or use --muster") }
    return program
  }

  private func readable(_ path: String) throws -> URL {
    guard FileManager.default.isReadableFile(atPath: path) else {
      throw Failure("cannot read \(path): run this in the project's folder, or use --track")
    }
    return URL(filePath: path)
  }

  private var whereToLook: String {
    "see \(directory)/commands.log for the commands, and anna.log, ben.log, cleo.log beside it"
  }

  private func complain(_ text: String) {
    let lines = text.split(separator: "\n").map { "muster-demo: \($0)\n" }.joined()
    do {
      try FileHandle.standardError.write(contentsOf: Data(lines.utf8))
    } catch {
      // Without standard error there is no place to report it.
    }
  }

  // MARK: Playing

  private enum Ending: Sendable {
    case over(Outcome, unclean: [String])
    /// The story is over, and its nodes keep running.
    case kept(Outcome)
    case failed(any Error)
    case stopped(UnixSignal)
  }

  /// Runs until the story is over or a signal arrives. In both cases no node is left when this
  /// returns.
  private func play(on environment: DemoEnvironment, screen: Screen) async -> Ending {
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
    return await withTaskGroup(of: Ending?.self) { group in
      group.addTask {
        do {
          let outcome = try await environment.story.play()
          if let port = environment.story.dashboard {
            try show(outcome, on: screen)
            try offer(port, of: environment.story.anna, on: screen)
            return .kept(outcome)
          }
          return .over(outcome, unclean: try await environment.end())
        } catch {
          return .failed(error)
        }
      }
      group.addTask {
        for await signal in signals { return .stopped(signal) }
        return nil
      }
      var ending = await group.next() ?? nil
      if case .kept(let outcome)? = ending {
        _ = await group.next()
        ending = .over(outcome, unclean: await environment.children.endAll())
      }
      group.cancelAll()
      await environment.children.endAll()
      return ending ?? .failed(CancellationError())
    }
  }

  // MARK: Concluding

  private func show(_ outcome: Outcome, on screen: Screen) throws {
    try screen.write("\n\(ClosingTable(outcome: outcome, screen: screen).text)\n\n")
  }

  private func offer(_ port: Int, of anna: Laptop, on screen: Screen) throws {
    let token = try String(
      contentsOf: anna.home.appending(path: "run/http-token"), encoding: .utf8
    )
    .trimmingCharacters(in: .whitespacesAndNewlines)
    let address = screen.paint("http://127.0.0.1:\(port)/?token=\(token)", .strong)
    try screen.write(
      "The dashboard of Anna's command post: \(address)\nThe three nodes run until Ctrl-C.\n\n")
  }

  private func conclude(
    _ outcome: Outcome, unclean: [String], program: URL, screen: Screen
  ) throws {
    let broken =
      DemoChecks(outcome: outcome).broken() + unclean.map { "\($0) did not stop cleanly" }
    if !keep { try show(outcome, on: screen) }
    guard broken.isEmpty else {
      for promise in broken { try screen.write("\(screen.paint("✖", .bad)) \(promise)\n") }
      let things = broken.count == 1 ? "1 promise was" : "\(broken.count) promises were"
      throw Failure("\(things) violated\n\(whereToLook)")
    }
    let journal = screen.paint("\(directory)/commands.log", .strong)
    let folders = "--home \(directory)/cleo --keys \(keys)/demo-cleo"
    let here = FileManager.default.currentDirectoryPath + "/"
    let name = program.path.hasPrefix(here) ? program.path.dropFirst(here.count) : program.path[...]
    try screen.write(
      """
      \(screen.paint("✔ Every promise held.", .good)) Every command is in \(journal). Look around:
        MUSTER_STATE=\(directory)/state \(name) report list \(folders)
      \(keep ? "" : "With the dashboard in a browser, until Ctrl-C: make demo KEEP=1\n")
      """)
  }
}
