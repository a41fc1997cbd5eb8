internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct VerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Verify all data of this node.",
    discussion: """
      Example:  muster verify

      Verifies every hash, signature, rule and part of a photo, rebuilds the view from the log \
      and compares both. \
      The exit code is 1 for any problem, or if this device was revoked.
      """)

  @OptionGroup(title: "Node") var home: HomeOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let connection = try await NodeConnection.open(home)
    let reply = try await ProgressLine.during("Verifying hashes and signatures") { _ in
      try await connection.ask(.verify)
    }
    guard case .verification(let report) = reply,
      case .status(let status) = try await connection.ask(.status)
    else { throw Refusal.unexpectedReply }
    if output.json {
      try Standard.print(report.json.text)
    } else {
      try show(report, on: .current)
    }
    if !report.isOK {
      let count = ValueText.count(report.problems.count, "problem", "problems")
      throw Refusal("\(count) found: keep this laptop in contact, so that peers can repair it")
    }
    if status.isRevoked {
      throw Refusal("the data is intact, but this device was revoked: ask command for an invite")
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
