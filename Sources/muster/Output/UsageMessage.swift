internal import ArgumentParser
internal import Foundation
internal import MusterModel

/// What the parser prints: help that fits the terminal, and errors on two lines.
enum UsageMessage {
  /// Wider text is hard to read.
  private static let widest = 100

  /// Help, the version or a completion script, which the parser throws as errors.
  static func answer(_ error: any Error, on screen: Screen) -> String {
    wrapped(
      Muster.fullMessage(for: error, columns: columns(of: screen)), to: columns(of: screen))
  }

  /// What is wrong, and where the right usage is described.
  ///
  /// - Parameter arguments: the command line. The parser reports a missing option before a
  ///   misspelt one, which is the cause.
  static func complaint(_ error: any Error, about arguments: [String]) -> String {
    let lines = Muster.fullMessage(for: error).split(separator: "\n")
    var reason = oneLine(Muster.message(for: error))
    if reason.hasPrefix("Missing expected argument"), let cause = unknownOption(in: arguments) {
      reason = cause
    }
    guard let help = lines.last?.firstMatch(of: /'(muster[^']*--help)'/) else { return reason }
    return "\(reason)\nSee: \(help.1)"
  }

  /// The first option that the command does not have, in the words of the parser; nil for none.
  private static func unknownOption(in arguments: [String]) -> String? {
    let help = Muster.helpMessage(for: CommandTree.command(in: arguments), includeHidden: true)
    let known = Set(help.matches(of: /--[a-z][a-z-]*/).map { String($0.output) })
    let names = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
      .map { String($0.prefix { $0 != "=" }) }
    guard let unknown = names.first(where: { !known.contains($0) }) else { return nil }
    let advice = Suggestion.nearest(to: unknown, in: known).map { " Did you mean '\($0)'?" } ?? ""
    return "Unknown option '\(SafeText.line(unknown))'.\(advice)"
  }

  /// A message that lists the allowed values line by line, on one line.
  private static func oneLine(_ message: String) -> String {
    let lines = message.split(separator: "\n")
    let values = lines.dropFirst().map { $0.trimmingPrefix(#/\s*- /#) }
    return ([lines.first.map(String.init)] + [values.joined(separator: ", ")])
      .compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// Help with its usage line wrapped between options, and secondary options last. What is the same
  /// for every command is short or left out, so that most help fits 24 rows.
  static func wrapped(_ help: String, to columns: Int) -> String {
    guard help.hasPrefix("OVERVIEW:") else { return help }
    let isRoot = help.contains("USAGE: muster <subcommand>")
    let shown = isRoot ? help : shortened(last("NODE", last("WITH --ORDER", help)))
    return shown.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard line.hasPrefix("USAGE:") else { return withoutAliases(line) }
      let line = line.replacing(#/ \[--(?:home|keys|passphrase-file) <[a-z]*>\]/#, with: "")
      let words = line.matches(of: /\[[^\]]*\](?: \.\.\.)?|--\S+ <[^>]*>|\S+/).map {
        String($0.output)
      }
      return WrappedText(words: words, width: columns, indent: "         ").lines
        .joined(separator: "\n")
    }.joined(separator: "\n")
  }

  /// Without the options that every command has, and with those of the node on one line.
  private static func shortened(_ help: String) -> String {
    let common = /\n  (?:--version|-h, --help) [^\n]*/
    let node = /\nNODE:\n(?:  [^\n]*\n?)*/
    return help.replacing(common, with: "").replacing("\nOPTIONS:\n\n", with: "\n")
      .replacing(node, with: "\nNODE: --home <dir>, --keys <dir>, --passphrase-file <file>\n")
      .trimmingCharacters(in: .newlines)
  }

  /// The line of a command without its old names.
  private static func withoutAliases(_ line: Substring) -> String {
    guard let match = line.firstMatch(of: /^  ([a-z][a-z-]*)(?:, [a-z][a-z-]*)+  +(\S.*)$/) else {
      return String(line)
    }
    return "  " + match.1 + String(repeating: " ", count: max(1, 24 - match.1.count)) + match.2
  }

  /// Moves a section of options behind all others.
  private static func last(_ title: String, _ help: String) -> String {
    guard let start = help.range(of: "\n\(title):\n")?.lowerBound,
      let end = help[start...].range(of: "\n\n")?.lowerBound
    else { return help }
    let section = help[start...end]
    // The second line feed of the blank line separates the sections around it.
    return String(help[..<start]) + help[help.index(after: end)...] + section
  }

  static func columns(of screen: Screen) -> Int { min(screen.columns ?? 80, widest) }
}

/// The commands by name.
enum CommandTree {
  /// Returns the command that the first arguments name, as far as they are names.
  static func command(in arguments: [String]) -> any ParsableCommand.Type {
    var command: any ParsableCommand.Type = Muster.self
    for argument in arguments {
      let named = command.configuration.subcommands.first {
        $0._commandName == argument || $0.configuration.aliases.contains(argument)
      }
      guard let named else { break }
      command = named
    }
    return command
  }

  /// Why the arguments name a command that does not exist; nil where they do not.
  static func unknownCommand(in arguments: [String]) -> UnknownCommand? {
    var command: any ParsableCommand.Type = Muster.self
    var path = ["muster"]
    for argument in arguments.drop(while: { $0 == "help" }) {
      let children = command.configuration.subcommands
      guard !children.isEmpty, !argument.hasPrefix("-") else { return nil }
      let named = children.first {
        $0._commandName == argument || $0.configuration.aliases.contains(argument)
      }
      guard let named else {
        if argument == "help" { return nil }
        let names = children.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
        let suggestion = Suggestion.nearest(to: argument, in: names)
        // It is an argument of the default subcommand, unless it resembles another one.
        if command.configuration.defaultSubcommand != nil, suggestion == nil { return nil }
        return UnknownCommand(name: argument, path: path, suggestion: suggestion)
      }
      command = named
      path.append(named._commandName)
    }
    return nil
  }
}

/// A word that is no command.
struct UnknownCommand: Hashable, CustomStringConvertible {
  let name: String
  /// Of the command that would have it.
  let path: [String]
  let suggestion: String?

  var description: String {
    let place = path.joined(separator: " ")
    let advice = suggestion.map { " Did you mean '\(place) \($0)'?" } ?? ""
    return "There is no command '\(place) \(SafeText.line(name))'.\(advice)\nSee: \(place) --help"
  }
}
