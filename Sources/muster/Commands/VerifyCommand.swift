internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct VerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Checks everything that this laptop holds, from the signatures up.",
    discussion: """
      Example:  muster verify

      Checks every hash, signature and rule again, rebuilds the view and compares. Exits with 1 if \
      anything is wrong, or if this device was revoked.
      """)

  @OptionGroup var home: HomeOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let door = try await Door.open(home)
    guard case .verification(let report) = try await door.ask(.verify),
      case .status(let status) = try await door.ask(.status)
    else { throw Refusal.unexpectedReply }
    if output.json {
      try Standard.print(report.json.text)
    } else {
      try show(report, on: .current)
    }
    if !report.isOK { throw Refusal(Words.count(report.problems.count, "problem", "problems")) }
    if status.isRevoked {
      throw Refusal("all data is intact, but this device was revoked: ask command for an invite")
    }
  }

  private func show(_ report: VerificationReport, on screen: Screen) throws {
    for problem in report.problems {
      try Standard.print(Paint.bad.apply("✖", on: screen) + " " + SafeText.line(problem))
    }
    let checked =
      Words.count(report.frames, "frame", "frames") + " in "
      + Words.count(report.logs, "log", "logs")
    if report.isOK { try Standard.print(Paint.good.apply("✔ all is well", on: screen)) }
    try Standard.print("Checked \(checked); state hash \(report.stateHash)")
  }
}
