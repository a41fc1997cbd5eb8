internal import ArgumentParser
internal import MusterModel
internal import MusterNode

struct SOSCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sos",
    abstract: "Call for help.",
    discussion: """
      Example:  muster sos
                muster sos --note "Trapped on the second floor"

      Sends the call after five seconds; Ctrl-C cancels. Every laptop raises an alarm until \
      command answers, or you report with `muster user status safe`.
      """)

  @Option(help: ArgumentHelp("Details for the others.", valueName: "text"))
  var note = ""

  @Flag(help: "Send at once, without the countdown.")
  var now = false

  @OptionGroup var wait: WaitOptions
  @OptionGroup(title: "Node") var home: HomeOptions

  private static let countdownSeconds = 5

  func validate() throws { try TextArgument.check(note, .paragraphs, "note") }

  func run() async throws {
    // A home that cannot be opened is reported before the countdown.
    let connection = try await NodeConnection.open(home)
    if !now {
      for left in stride(from: Self.countdownSeconds, to: 0, by: -1) {
        Standard.complain("Calling for help in \(left) s. Press Ctrl-C to cancel.")
        try await Task.sleep(for: .seconds(1))
      }
    }
    try await connection.send(.claimSafety(.needsHelp, note: note), "NEED HELP", wait: wait.seconds)
  }
}
