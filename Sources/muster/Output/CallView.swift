internal import MusterModel

extension CallStanding {
  /// What became of the call, one line for each fact: what is reached replaces the steps before it.
  func lines(_ times: LocalTime) -> [String] {
    let reached = isAtCommand ? "at command" : "sent to this laptop"
    return [reached] + seen.map { "seen by \($0.words(times))" }
      + answers.reversed().map { "\(SafeText.line($0.name)): \(SafeText.line($0.text))" }
  }

  /// The newest of these facts, on one line.
  func words(_ times: LocalTime) -> String {
    var words = [
      seen.first.map { "seen by \($0.words(times))" }
        ?? (isAtCommand ? "at command, not seen yet" : "sent to this laptop, not at command yet")
    ]
    if let answer = answers.first { words.append("\(answer.name): \(answer.text)") }
    return SafeText.line(words.joined(separator: " · "))
  }
}

extension CallStanding.Sighting {
  /// `Anna (command), 14:03`.
  func words(_ times: LocalTime) -> String {
    let through = via.map { ", through \($0)'s post" } ?? ""
    let clock = moment.map { ", \(times.text($0).dropFirst(11).prefix(5))" } ?? ""
    return SafeText.line("\(name) (\(role.name))\(through)\(clock)")
  }
}
