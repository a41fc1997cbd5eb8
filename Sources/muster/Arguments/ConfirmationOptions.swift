internal import ArgumentParser
internal import Foundation

/// The confirmation of a command that removes something from everybody: the name is typed on a
/// terminal, and scripts give `--yes`.
struct ConfirmationOptions: ParsableArguments {
  @Flag(help: "Confirm without a question, for scripts.")
  var yes = false

  /// Returns once it is confirmed. Throws `Refusal` if another name is typed, or if there is
  /// neither a terminal nor `--yes`.
  ///
  /// - Parameters:
  ///   - effect: what the command does, as a sentence without its full stop.
  ///   - name: what has to be typed.
  func confirm(_ effect: String, name: String) throws {
    let shown = SafeText.line(name)
    guard
      let question = try Self.question(
        effect, name: shown, isConfirmed: yes, isTerminal: isatty(STDIN_FILENO) == 1)
    else { return }
    try Standard.ask(question)
    guard Self.accepts(readLine(), name: shown) else {
      throw Refusal("not confirmed: nothing was changed")
    }
  }

  /// What to ask; nil where nothing needs to be asked.
  static func question(
    _ effect: String, name: String, isConfirmed: Bool, isTerminal: Bool
  ) throws(Refusal) -> String? {
    if isConfirmed { return nil }
    guard isTerminal else {
      throw Refusal("\(effect): confirm with --yes, since there is no terminal to ask on")
    }
    return "\(effect). Type \(name) to confirm: "
  }

  /// Whether what was typed is the name, but for spaces around it.
  static func accepts(_ line: String?, name: String) -> Bool {
    line?.trimmingCharacters(in: .whitespaces) == name.trimmingCharacters(in: .whitespaces)
  }
}
