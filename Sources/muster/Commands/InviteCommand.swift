internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct InviteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite",
    abstract: "Create an invite: a URL and a QR code.",
    discussion: """
      Example:  muster invite --role member --uses 5 --expires 2h

      Anyone with the URL can join until it expires or is used up: show it only to the people \
      that you invite. Keep `muster run` running on this laptop, in reach, while they join.

      A person who already has a laptop, or had one, and receives another one:
        muster invite --user Anna
      """)

  @Option(help: "The role of devices that join.")
  var role = NameArgument(Role.member)

  @Option(
    help: ArgumentHelp(
      "The person who receives another device.", valueName: "callsign"))
  var user: String?

  @Option(help: ArgumentHelp("The number of devices that can join, 1 to 1000.", valueName: "n"))
  var uses = 1

  @Option(
    help: ArgumentHelp(
      "The time until it expires: 90s, 15m, 7d. (default: 24h)", valueName: "time"),
    transform: DurationArgument.init(parsing:))
  var expires = DurationArgument.day

  @OptionGroup(title: "Node") var home: HomeOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var times: TimeOptions

  func validate() throws {
    guard (1...1000).contains(uses) else { throw ValidationError("--uses must be from 1 to 1000") }
    guard user == nil || uses == 1 else { throw ValidationError("--user permits one use") }
  }

  func run() async throws {
    // Only a running node has the addresses that the new device must contact.
    let connection = NodeConnection.running(try await NodeConnection.runningNode(of: home))
    let command = Command.invite(
      role: role.value, user: user, uses: uses, validSeconds: expires.seconds)
    guard case .invitation(let bytes, let role, let expiresAt) = try await connection.ask(command)
    else {
      throw Refusal.unexpectedReply
    }
    let invitation = InvitationURL(bytes.bytes)
    if output.json {
      return try Standard.print(invitation.json(role: role, expiresAt: expiresAt).text)
    }
    let url = "\(invitation)"
    let screen = Screen.current
    guard screen.isTerminal else { return try Standard.print(url) }
    try show(url, on: screen)
    try Standard.print(
      """
      For \(user.map { "another device of \(SafeText.line($0))" }
        ?? ValueText.count(uses, "device", "devices")) of role \(role.name), until \
      \(times.format.text(expiresAt)). On the other laptop:

      muster join '\(url)' --callsign NAME
      """)
  }

  private func show(_ url: String, on screen: Screen) throws {
    guard let code = QRCode(url) else { return }
    if let columns = screen.columns, columns < code.columns {
      return Standard.complain("the QR code needs a terminal of \(code.columns) columns")
    }
    for line in code.lines { try Standard.print(line) }
    try Standard.print("")
  }
}

extension DurationArgument {
  fileprivate static let day = DurationArgument(seconds: 86_400)
}
