internal import ArgumentParser
internal import Foundation
internal import MusterModel

/// The confirmation of a command that removes data or access on every device: the user types the
/// name on a terminal, and scripts give `--yes`.
struct ConfirmationOptions: ParsableArguments {
  @Flag(help: "Do not ask for confirmation.")
  var yes = false

  /// Returns after the confirmation. Throws `Refusal` if another name is typed, or if there is
  /// neither a terminal nor `--yes`.
  ///
  /// - Parameters:
  ///   - effect: what the command does, a sentence without its full stop.
  ///   - name: the text to type.
  func confirm(_ effect: String, name: String) throws {
    let shown = SafeText.line(name)
    guard
      let question = try Self.question(
        effect, name: shown, isConfirmed: yes, isTerminal: isatty(STDIN_FILENO) == 1)
    else { return }
    try Standard.ask(question)
    guard Self.accepts(readLine(), name: shown) else {
      throw Refusal(
        "not confirmed: nothing was changed. Type the name as it is shown, or give --yes")
    }
  }

  /// The question; nil if it needs no answer.
  static func question(
    _ effect: String, name: String, isConfirmed: Bool, isTerminal: Bool
  ) throws(Refusal) -> String? {
    if isConfirmed { return nil }
    guard isTerminal else {
      throw Refusal("\(effect): give --yes to confirm it without a terminal")
    }
    return "\(effect). Type \(name) to confirm: "
  }

  /// Whether the typed line is the name, apart from spaces around it.
  static func accepts(_ line: String?, name: String) -> Bool {
    line?.trimmingCharacters(in: .whitespaces) == name.trimmingCharacters(in: .whitespaces)
  }
}
