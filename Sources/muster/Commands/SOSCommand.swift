internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct SOSCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sos",
    abstract: "Call for help, and follow what becomes of the call.",
    discussion: """
      Example:  muster sos
                muster sos Trapped on the second floor
                muster sos --cancel

      Calls for help at once, then prints when command has the call, who saw it and what they \
      answer, until a commander saw it. Ctrl-C stops printing; the call stays.
      """)

  // A call is not refused for a mistyped option: what is none becomes words.
  @Argument(
    parsing: .allUnrecognized, help: ArgumentHelp("Details for the others.", valueName: "text"))
  var words: [String] = []

  @Option(help: ArgumentHelp("The details as one text.", visibility: .hidden))
  var note: String?

  @Flag(help: "Report that you are safe, which ends the call.")
  var cancel = false

  @Flag(help: "Call, and exit without following the call.")
  var noWait = false

  @Flag(help: .hidden)
  var now = false

  @OptionGroup var wait: WaitOptions
  @OptionGroup(title: "Node") var home: HomeOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var times: TimeOptions

  private static let pause = Duration.milliseconds(250)

  func run() async throws {
    let connection = try await NodeConnection.open(home)
    if cancel, try await !isCalling(by: connection) {
      return Standard.complain(
        "you have no open call for help: nothing was sent. To report that you are safe: "
          + "muster user status safe")
    }
    let note = details
    let claim: SafetyClaim = cancel ? .safe : .needsHelp
    let what = cancel ? "Call for help cancelled: SAFE" : "NEED HELP"
    if output.json {
      _ = try await connection.change(.claimSafety(claim, note: note))
      Standard.complain(await connection.withReach(what))
    } else {
      try await connection.send(.claimSafety(claim, note: note), what, wait: wait.seconds)
    }
    guard !cancel, !noWait, case .running = connection else { return }
    Standard.complain("Following the call. Ctrl-C stops that; the call stays.")
    try await follow(connection)
  }

  /// Whether the user has a call for help that a cancellation would end.
  private func isCalling(by connection: NodeConnection) async throws -> Bool {
    guard case .call(let call) = try await connection.ask(.call(of: nil)) else {
      throw Refusal.unexpectedReply
    }
    return call?.isOpen == true
  }

  /// The words, without what a text may not contain.
  private var details: String {
    let given = ([note].compactMap(\.self) + words).joined(separator: " ")
    let fitting = TextRule.paragraphs.fitting(given)
    if fitting != given { Standard.complain("Some characters of the text cannot be sent.") }
    return fitting
  }

  /// Prints each state of the call, until a commander saw it or it ended.
  private func follow(_ connection: NodeConnection) async throws {
    var printed: [String] = []
    while true {
      guard case .call(let standing) = try await connection.ask(.call(of: nil)) else {
        throw Refusal.unexpectedReply
      }
      guard let standing, standing.isOpen else {
        return try Standard.print(
          output.json
            ? JSON.object(["state": .string("ended")]).text
            : "The call has ended.")
      }
      if output.json {
        let text = standing.json.text
        if printed.last != text { try Standard.print(text) }
        printed = [text]
      } else {
        let lines = standing.lines(times.format)
        for line in lines where !printed.contains(line) { try Standard.print(line) }
        printed = lines
      }
      if standing.seen.first?.role == .command { return }
      try await Task.sleep(for: Self.pause)
    }
  }
}
