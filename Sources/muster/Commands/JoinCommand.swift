internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct JoinCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join",
    abstract: "Join an operation with an invite URL, or by file.",
    discussion: """
      Example:  muster join - --callsign Ben
                muster join 'muster://join/…' --callsign Ben

      With -, the command asks for the invite URL, or reads it from standard input. On a machine \
      with other users, prefer -: they can read an argument for a moment.

      Over the internet, through the command post that issued the invite:
        muster join 'muster://join/…' --callsign Ben --uplink https://HOST:7443

      Without a network, with files on a memory stick:
        here:                 muster join --request ben.request --callsign Ben
        on a command device:  muster admit ben.request --out ben.grant
        here:                 muster join --grant ben.grant --operation ID
      `muster admit` prints the ID. A grant names its own operation, so compare it, or anyone who \
      exchanges the file can enroll this laptop in another one.
      """)

  @Argument(
    help: "The invite URL, or - to read it from standard input.",
    transform: InviteArgument.init(parsing:))
  var url: InviteArgument?

  @Option(help: ArgumentHelp("Your name in the operation.", valueName: "name"))
  var callsign: String?

  @Option(
    help: ArgumentHelp("The time to keep trying. (default: 60s)", valueName: "time"),
    transform: DurationArgument.init(parsing:))
  var timeout: DurationArgument?

  @Option(
    help: ArgumentHelp(
      "Join over HTTPS, at this command post.", valueName: "https://host:port"),
    transform: UplinkArgument.init(parsing:))
  var uplink: UplinkArgument?

  @Option(
    help: ArgumentHelp("The HTTP proxy to the command post.", valueName: "http://host:port"))
  var proxy: String?

  @Option(
    help: ArgumentHelp("Write a join request to this file.", valueName: "file"), completion: .file()
  )
  var request: String?

  @Option(
    help: ArgumentHelp("Read the grant for the join request from this file.", valueName: "file"),
    completion: .file())
  var grant: String?

  @Option(
    help: ArgumentHelp(
      "Join by --grant only if the grant is for this operation.", valueName: "id"),
    transform: OperationArgument.init(parsing:))
  var operation: OperationArgument?

  @Flag(help: "Ask for a passphrase to encrypt the keys.")
  var passphrase = false

  @OptionGroup var confirmation: ConfirmationOptions
  @OptionGroup(title: "Node") var home: HomeOptions
  @OptionGroup var output: OutputOptions

  /// More than any grant has: a chain of certificates and the group keys.
  private static let mostGrantBytes = 1024 * 1024

  func validate() throws {
    guard [url != nil, request != nil, grant != nil].count(where: { $0 }) == 1 else {
      throw ValidationError("give an invite URL, --request or --grant")
    }
    if grant == nil, callsign == nil {
      throw ValidationError("give --callsign, your name in the operation")
    }
    if grant != nil, callsign != nil || passphrase {
      throw ValidationError("--callsign and --passphrase need --request, not --grant")
    }
    if url == nil, uplink != nil { throw ValidationError("--uplink needs an invite URL") }
    if uplink == nil, proxy != nil { throw ValidationError("--proxy needs --uplink") }
    if grant == nil, operation != nil || confirmation.yes {
      throw ValidationError("--operation and --yes need --grant")
    }
    if url == nil, timeout != nil { throw ValidationError("--timeout needs an invite URL") }
    try TextArgument.check(callsign, .line, "callsign")
  }

  func run() async throws {
    if let grant {
      let contents = try InputFile.bytes(of: grant, limit: Self.mostGrantBytes)
      return try show(
        try LocalNode.join(grant: contents, home: home) { membership in
          try OperationCheck(membership).confirm(operation, isConfirmed: confirmation.yes)
        })
    }
    guard let callsign else { throw ValidationError("give --callsign") }
    let passphrase = try home.newPassphrase(asking: passphrase)
    let invitation = try url?.invitation()
    if let invitation, let uplink {
      let way = try proxy.map { try UplinkArgument.proxy($0) } ?? Settings(home: home.folders).proxy
      let enrolment = try await ProgressLine.during("Joining") { line in
        try await LocalNode.join(
          invitation, by: uplink.target, proxy: way, callsign: callsign, home: home,
          passphrase: passphrase, timeoutSeconds: timeout?.seconds ?? 60,
          progress: line)
      }
      return try show(enrolment)
    }
    if let invitation {
      let enrolment = try await ProgressLine.during("Joining") { line in
        try await LocalNode.join(
          invitation, callsign: callsign, home: home, passphrase: passphrase,
          timeoutSeconds: timeout?.seconds ?? 60,
          progress: line)
      }
      return try show(enrolment)
    }
    guard let request else { throw ValidationError("give an invite URL") }
    let contents = try LocalNode.requestToJoin(
      callsign: callsign, home: home, passphrase: passphrase)
    try OutputFile.write(contents, to: request)
    if output.json { return try Standard.print(JSON.object(["request": .string(request)]).text) }
    try Standard.print(
      """
      Wrote \(request). Next, on a command device:
        muster admit \(request) --out GRANT
      It prints the ID of the operation. Then, on this laptop:
        muster join --grant GRANT --operation ID\(home.folder.flags)
      """)
  }

  private func show(_ enrolment: Membership) throws {
    if output.json { return try Standard.print(enrolment.json.text) }
    let name =
      enrolment.isFurtherDevice
      ? "a device of the person that command named" : enrolment.callsign
    try Standard.print(
      """
      Joined "\(SafeText.line(enrolment.operationName))" (\(enrolment.operation.short)) as \
      \(name), role \(enrolment.role.name).
      Next: muster run\(home.folder.flags)\(uplink.map { " --uplink \($0.target)" } ?? "")
      """)
    guard let inviter = enrolment.inviters.first else { return }
    try Standard.print(
      "Without multicast between the laptops: muster run\(home.folder.flags) --peer \(inviter)")
  }
}

struct AdmitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "admit",
    abstract: "Admit a device by its join request file.",
    discussion: """
      Example:  muster admit ben.request --out ben.grant

      Check that the file comes from the person whose callsign is shown. Only their laptop can \
      use the grant. Another laptop of a person who already has one, or had one:
        muster admit anna.request --user Anna --out anna.grant
      """)

  @Argument(help: ArgumentHelp("The join request.", valueName: "file"), completion: .file())
  var request: String

  @Option(help: ArgumentHelp("The grant to write.", valueName: "file"), completion: .file())
  var out: String

  @Option(help: "The role of the device.")
  var role = NameArgument(Role.member)

  @Option(
    help: ArgumentHelp("The person whose other device it is.", valueName: "callsign"),
    completion: .people)
  var user: String?

  @OptionGroup(title: "Node") var home: HomeOptions
  @OptionGroup var output: OutputOptions

  /// More than any request has: a name, two keys and a signature.
  private static let mostRequestBytes = 16 * 1024

  func run() async throws {
    let contents = try InputFile.bytes(of: request, limit: Self.mostRequestBytes)
    let connection = try await NodeConnection.open(home)
    let reply = try await connection.change(
      .admit(request: ByteString(contents), role: role.value, user: user))
    guard case .grant(let grant, let callsign) = reply else { throw Refusal.unexpectedReply }
    try OutputFile.write(grant.bytes, to: out)
    if user == nil, case .users(let people) = try await connection.ask(.users),
      people.count(where: {
        !$0.isTracker && NameLikeness($0.callsign).isLike(NameLikeness(callsign))
      }) > (role.value.reads ? 1 : 0)
    {
      Standard.complain(
        "a person called \(callsign), or alike, exists: if this is another one, they need another "
          + "callsign, by a new join request")
    }
    if output.json {
      return try Standard.print(
        JSON.object([
          "callsign": .string(callsign), "role": .string(role.value.name), "grant": .string(out),
        ]).text)
    }
    let person = SafeText.line(user ?? callsign)
    let device = user == nil ? person : "another device of \(person)"
    try Standard.print("Admitted \(device) as \(role.value.name); wrote \(out).")
    guard case .status(let status) = try await connection.ask(.status) else { return }
    try Standard.print("Next: muster join --grant \(out) --operation \(status.operation)")
  }
}
