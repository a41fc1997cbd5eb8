internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct JoinCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join",
    abstract: "Joins an operation by an invite URL, or by files on a memory stick.",
    discussion: """
      Example:  muster join 'muster://join/…' --callsign Ben

      Where nothing but HTTPS reaches the one who invited, at their command post:
                muster join 'muster://join/…' --callsign Ben --uplink https://post.example:7443

      Where no network reaches a commander, by file:
        here:            muster join --request ben.request --callsign Ben
        at a commander:  muster admit ben.request --out ben.grant
        here:            muster join --grant ben.grant
      """)

  @Argument(help: "The invite URL.", transform: { try InvitationURL(parsing: $0) })
  var url: InvitationURL?

  @Option(help: ArgumentHelp("What you are called.", valueName: "name"))
  var callsign: String?

  @Option(
    help: ArgumentHelp("How long to try: 60s, 5m. (default: 60s)", valueName: "time"),
    transform: DurationArgument.init(parsing:))
  var timeout: DurationArgument?

  @Option(
    help: ArgumentHelp(
      "Asks by HTTPS, at the command post that invited.", valueName: "https://host:port"),
    transform: UplinkArgument.init(parsing:))
  var uplink: UplinkArgument?

  @Option(
    help: ArgumentHelp("The HTTP proxy on the way there.", valueName: "http://host:port"))
  var proxy: String?

  @Option(help: ArgumentHelp("Writes a join request for a commander.", valueName: "file"))
  var request: String?

  @Option(help: ArgumentHelp("Takes a commander's answer to the request.", valueName: "file"))
  var grant: String?

  @Flag(help: "Asks for a passphrase and locks the keys with it.")
  var passphrase = false

  @OptionGroup var home: HomeOptions
  @OptionGroup var output: OutputOptions

  /// More than any grant has: a chain of certificates and the epochs' keys.
  private static let mostGrantBytes = 1024 * 1024

  func validate() throws {
    guard [url != nil, request != nil, grant != nil].count(where: { $0 }) == 1 else {
      throw ValidationError("give one of an invite URL, --request and --grant")
    }
    if grant == nil, callsign == nil {
      throw ValidationError("give a --callsign: what you are called in the operation")
    }
    if grant != nil, callsign != nil || passphrase {
      throw ValidationError("--callsign and --passphrase belong to the --request before")
    }
    if url == nil, uplink != nil { throw ValidationError("--uplink belongs to an invite URL") }
    if uplink == nil, proxy != nil { throw ValidationError("--proxy belongs to --uplink") }
    if url == nil, timeout != nil { throw ValidationError("--timeout belongs to an invite URL") }
    try TextArgument.check(callsign, .line, "callsign")
  }

  func run() async throws {
    if let grant {
      let contents = try InputFile.bytes(of: grant, limit: Self.mostGrantBytes)
      return try show(try LocalNode.join(grant: contents, home: home))
    }
    guard let callsign else { throw ValidationError("give a --callsign") }
    let passphrase = try home.newPassphrase(asking: passphrase)
    if let url, let uplink {
      let way = try proxy.map { try UplinkArgument.proxy($0) } ?? Settings(home: home.folders).proxy
      return try show(
        try await LocalNode.join(
          url, by: uplink.target, proxy: way, callsign: callsign, home: home,
          passphrase: passphrase, timeoutSeconds: timeout?.seconds ?? 60))
    }
    if let url {
      return try show(
        try await LocalNode.join(
          url, callsign: callsign, home: home, passphrase: passphrase,
          timeoutSeconds: timeout?.seconds ?? 60))
    }
    guard let request else { throw ValidationError("give an invite URL") }
    let contents = try LocalNode.requestToJoin(
      callsign: callsign, home: home, passphrase: passphrase)
    try OutputFile.write(contents, to: request)
    if output.json { return try Standard.print(JSON.object(["request": .string(request)]).text) }
    try Standard.print(
      """
      Wrote \(request). Take it to a commander's laptop:
        muster admit \(request) --out GRANT
      and bring the answer back:
        muster join --grant GRANT
      """)
  }

  private func show(_ enrolment: Membership) throws {
    if output.json { return try Standard.print(enrolment.json.text) }
    try Standard.print(
      """
      Joined "\(SafeText.line(enrolment.operationName))" (\(enrolment.operation.short)) as \
      \(enrolment.callsign), \(enrolment.role.name).
      Next: `muster run\(uplink.map { " --uplink \($0.target)" } ?? "")` here.
      """)
    guard let inviter = enrolment.inviters.first else { return }
    try Standard.print(
      "Where multicast does not reach, name a laptop: `muster run --peer \(inviter)`.")
  }
}

struct AdmitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "admit",
    abstract: "Admits a laptop by its join request file.",
    discussion: """
      Example:  muster admit ben.request --out ben.grant

      Make sure that the file is from the one whose callsign is shown. Only that laptop can open \
      the answer.
      """)

  @Argument(help: ArgumentHelp("The join request.", valueName: "file"))
  var request: String

  @Option(help: ArgumentHelp("Where to write the answer.", valueName: "file"))
  var out: String

  @Option(help: "What the one who joins may do.")
  var role = NameArgument(Role.member)

  @OptionGroup var home: HomeOptions
  @OptionGroup var output: OutputOptions

  /// More than any request has: a name, two keys and a signature.
  private static let mostRequestBytes = 16 * 1024

  func run() async throws {
    let contents = try InputFile.bytes(of: request, limit: Self.mostRequestBytes)
    let reply = try await Door.open(home).change(
      .admit(request: ByteString(contents), role: role.value))
    guard case .grant(let grant, let callsign) = reply else { throw Refusal.unexpectedReply }
    try OutputFile.write(grant.bytes, to: out)
    if output.json {
      return try Standard.print(
        JSON.object([
          "callsign": .string(callsign), "role": .string(role.value.name), "grant": .string(out),
        ]).text)
    }
    try Standard.print("Admitted \(SafeText.line(callsign)) as \(role.value.name); wrote \(out).")
  }
}
