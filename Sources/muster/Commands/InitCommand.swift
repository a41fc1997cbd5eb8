internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel

struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Makes a new operation, with this laptop as its first commander.",
    discussion: """
      Example:  muster init "River flood" --callsign Anna

      The operation's keys are made here and stay here. With --passphrase they are locked, and \
      every start asks for it. Next: `muster invite` lets others join.
      """)

  @Argument(help: "What the operation is called.")
  var operation: String

  @Option(help: ArgumentHelp("What you are called in it.", valueName: "name"))
  var callsign: String

  @Flag(help: "Asks for a passphrase and locks the keys with it.")
  var passphrase = false

  @OptionGroup var home: HomeOptions
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
      Made the operation "\(enrolment.operationName)" (\(enrolment.operation.short)).
      This laptop is \(enrolment.callsign), \(enrolment.role.name), in \(home.folders.path).
      Next: `muster run` here, and `muster invite` for each one who joins.
      """)
  }
}
