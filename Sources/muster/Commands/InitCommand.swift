internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Create an operation on the first laptop.",
    discussion: """
      Example:  muster init "River flood" --callsign Anna

      This laptop becomes its first device of role command. The keys of the operation are \
      created and kept here. With --passphrase they are encrypted, and each start asks for it.

      Next: start the node with `muster run`, and invite others with `muster invite`.
      """)

  @Argument(help: "The name of the operation.")
  var operation: String

  @Option(help: ArgumentHelp("Your name in the operation.", valueName: "name"))
  var callsign: String

  @Flag(help: "Ask for a passphrase to encrypt the keys.")
  var passphrase = false

  @Flag(help: "Explain how to set up a council, so that no stolen laptop can revoke the others.")
  var council = false

  @OptionGroup(title: "Node") var home: HomeOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    try TextArgument.check(operation, .line, "operation's name")
    try TextArgument.check(callsign, .line, "callsign")
  }

  func run() async throws {
    let enrolment = try await LocalNode.create(
      operation: operation, callsign: callsign, home: home,
      passphrase: try home.newPassphrase(asking: passphrase))
    if output.json { return try Standard.print(enrolment.json.text) }
    try Standard.print(
      """
      Created operation "\(enrolment.operationName)" (\(enrolment.operation.short)).
      This laptop is \(enrolment.callsign), role \(enrolment.role.name). Data: \(home.folders.path)
      Next: `muster run\(home.folder.flags)`, and `muster invite\(home.folder.flags)` in a second \
      terminal.
      """)
    guard council else { return }
    let key = Founding.rootKeyPath(of: home.folders)
    try Standard.print(
      """

      A council of 3 to 15 commanders decides by majority which of them is revoked. To set it up:
        1. muster invite --role command          for each further commander
        2. muster council propose Anna Ben Carl  with the callsigns of all of them, here
        3. Move \(key) to a USB stick, in a safe, and do not take it to
           the field. Only this key replaces a council of which too many laptops are lost.
      """)
  }
}
