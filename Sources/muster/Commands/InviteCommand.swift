internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct InviteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite",
    abstract: "Prints a URL and a QR code by which another laptop joins.",
    discussion: """
      Example:  muster invite --role member --uses 5 --expires 2h

      Whoever has the URL can join until it expires or is used up, so show it only to those whom \
      you mean. This laptop must run `muster run` and be within reach while they join.
      """)

  @Option(help: "What the one who joins may do.")
  var role = NameArgument(Role.member)

  @Option(help: ArgumentHelp("How many laptops may join by it, 1 to 1000.", valueName: "n"))
  var uses = 1

  @Option(
    help: ArgumentHelp("For how long it is good: 90s, 15m, 24h, 7d.", valueName: "time"),
    transform: DurationArgument.init(parsing:))
  var expires = DurationArgument.day

  @OptionGroup var home: HomeOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (1...1000).contains(uses) else { throw ValidationError("--uses is from 1 to 1000") }
  }

  func run() async throws {
    // Only a running node knows the addresses that the one who joins must call.
    let door = Door.running(try await Door.runningNode(of: home))
    let command = Command.invite(role: role.value, uses: uses, validSeconds: expires.seconds)
    guard case .invitation(let bytes, let role, let expiresAt) = try await door.ask(command) else {
      throw Refusal.unexpectedReply
    }
    let invitation = InvitationURL(bytes.bytes)
    if output.json {
      return try Standard.print(invitation.json(role: role, expiresAt: expiresAt).text)
    }
    let url = "\(invitation)"
    let screen = Screen.current
    if screen.isTerminal { try show(url, on: screen) }
    try Standard.print(url)
    guard screen.isTerminal else { return }
    try Standard.print(
      "\nGood for \(Words.count(uses, "laptop", "laptops")) as \(role.name) until \(expiresAt):\n"
        + "  muster join '\(url)' --callsign NAME")
  }

  private func show(_ url: String, on screen: Screen) throws {
    guard let code = QRCode(url) else { return }
    if let columns = screen.columns, columns < code.columns {
      return Standard.complain("the terminal is too narrow for a QR code (\(code.columns) columns)")
    }
    for line in code.lines { try Standard.print(line) }
    try Standard.print("")
  }
}

extension DurationArgument {
  fileprivate static let day = DurationArgument(seconds: 86_400)
}
