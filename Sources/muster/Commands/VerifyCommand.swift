internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct VerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Verify all data of this node, or of a bundle.",
    discussion: """
      Example:  muster verify
                muster verify flood.bundle

      Verifies every hash, signature, rule and part of a photo, rebuilds the view from the log \
      and compares both. \
      The exit code is 1 for any problem, or if this device was revoked.

      A bundle, such as an export of an archive, is merged into an empty database that is \
      discarded. This node is not changed, and a device that was revoked since can verify it too.
      """)

  @Argument(
    help: ArgumentHelp("A bundle to verify instead of this node.", valueName: "file"),
    completion: .file())
  var file: String?

  @OptionGroup(title: "Node") var home: HomeOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    if let file { return try await verify(BundleFileReader(file), named: file) }
    let connection = try await NodeConnection.open(home)
    try await verify(by: connection)
    guard case .status(let status) = try await connection.ask(.status) else {
      throw Refusal.unexpectedReply
    }
    if status.isRevoked {
      throw Refusal("the data is intact, but this device was revoked: ask command for an invite")
    }
  }

  private func verify(_ reader: BundleFileReader, named file: String) async throws {
    try await ScratchNode.run(keysOf: home) { connection in
      let (tally, end) = try await ProgressLine.during("Reading \(file)") { progress in
        try await BundleCommand.Merge.merge(reader, by: connection, progress)
      }
      let outcome = BundleOutcome(tally: tally, end: end, hasMore: try !reader.isAtEnd)
      guard outcome.problem == nil else {
        throw Refusal("\(file) is damaged, truncated or longer than it was: create it again")
      }
      let refused = tally.frames.refusedInAll
      guard refused == 0 else {
        throw Refusal(
          "\(file) has \(refused) frames that are forged or without their predecessors: do not "
            + "merge it, and create it again")
      }
      try await verify(by: connection)
    }
  }

  private func verify(by connection: NodeConnection) async throws {
    let reply = try await ProgressLine.during("Verifying hashes and signatures") { _ in
      try await connection.ask(.verify)
    }
    guard case .verification(let report) = reply else { throw Refusal.unexpectedReply }
    if output.json {
      try Standard.print(report.json.text)
    } else {
      try show(report, on: .current)
    }
    if !report.isOK {
      let count = ValueText.count(report.problems.count, "problem", "problems")
      throw Refusal(
        file == nil
          ? "\(count) found: keep this laptop in contact, so that peers can repair it"
          : "\(count) found: create the bundle again")
    }
  }

  private func show(_ report: VerificationReport, on screen: Screen) throws {
    for problem in report.problems {
      try Standard.print(Paint.bad.apply("✖", on: screen) + " " + SafeText.line(problem))
    }
    let checked =
      ValueText.count(report.frames, "frame", "frames") + " in "
      + ValueText.count(report.logs, "log", "logs")
      + (report.photoParts == 0
        ? "" : ", and " + ValueText.count(report.photoParts, "part", "parts") + " of photos")
    if report.isOK { try Standard.print(Paint.good.apply("✔ No problems", on: screen)) }
    try Standard.print("Verified \(checked)\nState hash \(report.stateHash)")
  }
}
