import ArgumentParser
import Foundation
import Testing

@testable import muster

/// Help, manual and README cannot drift from the commands: every example in them is parsed.
@Suite struct `Help of every command` {
  /// Every command with its names from the root.
  static let commands = all(below: Muster.self, path: ["muster"])

  private static func all(
    below command: any ParsableCommand.Type, path: [String]
  ) -> [(path: [String], type: any ParsableCommand.Type)] {
    [(path, command)]
      + command.configuration.subcommands.flatMap { all(below: $0, path: path + [$0._commandName]) }
  }

  private func help(of path: [String]) throws -> String {
    do {
      var command = try Muster.parseAsRoot(path.dropFirst() + ["--help"])
      try command.run()
      return ""
    } catch {
      return UsageMessage.answer(
        error, on: Screen(isTerminal: true, showsColours: false, columns: 80))
    }
  }

  @Test func `fits a terminal of 80 columns`() throws {
    for (path, _) in Self.commands {
      let lines = try help(of: path).split(separator: "\n")
      #expect(lines.count > 5, "\(path)")
      for line in lines {
        #expect(DisplayWidth.of(String(line)) <= 80, "\(path.joined(separator: " ")): \(line)")
      }
    }
  }

  @Test func `fits 24 rows, but for commands with many options`() throws {
    let long: Set = [
      "", "checkin start", "history", "invite create", "join", "login add", "proximity",
      "report add", "report edit", "run", "webhook add", "zone add", "zone edit", "zone rule add",
    ]
    for (path, _) in Self.commands {
      let name = path.dropFirst().joined(separator: " ")
      let rows = try help(of: path).split(separator: "\n", omittingEmptySubsequences: false).count
      #expect(rows <= 24 || long.contains(name), "\(name): \(rows)")
    }
  }

  @Test func `is not needed to begin: the program alone shows how, on one screen`() throws {
    let lines = Beginning.text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 24)
    for line in lines {
      #expect(line.count <= 80, "\(line)")
      let command = line.dropFirst(2).replacing(#/   +.*/#, with: "")
      guard line.hasPrefix("  "), let words = CommandLineText(command).words else { continue }
      try expectAccepted(words)
    }
  }

  @Test func `names each thing by one word, and old commands by none`() throws {
    for (path, _) in Self.commands {
      let text = try help(of: path)
      // The data sets of a webhook keep their names in JSON.
      guard !path.contains("webhook") else { continue }
      let old = text.matches(of: /(?i)\b(fences?|directives?|muster direct)\b.*/).map(\.output.0)
      #expect(old.isEmpty, "\(path.joined(separator: " ")): \(old)")
    }
    for words in [["fence", "list"], ["direct", "rollcall"]] { _ = try Muster.parseAsRoot(words) }
  }

  @Test func `shows the options of the node after those of the command`() throws {
    let help = try help(of: ["muster", "report", "add"])
    let (own, node) = (help.range(of: "OPTIONS:"), help.range(of: "NODE:"))
    let (first, second) = (try #require(own), try #require(node))
    #expect(first.lowerBound < second.lowerBound)
    #expect(help.contains("--passphrase-file"))
  }

  @Test func `has a blank line before each section`() throws {
    for (path, _) in Self.commands {
      let lines = try help(of: path).split(separator: "\n", omittingEmptySubsequences: false)
      for (index, line) in lines.enumerated().dropFirst() {
        guard line.hasSuffix(":"), line == line.uppercased(), !line.hasPrefix(" ") else { continue }
        #expect(lines[index - 1].isEmpty, "\(path.joined(separator: " ")): \(line)")
      }
    }
  }

  @Test func `has one line for the list, and an example`() {
    for (path, type) in Self.commands {
      let configuration = type.configuration
      #expect(
        configuration.abstract.count <= (path.count == 1 ? 70 : 54),
        "\(path): \(configuration.abstract)")
      #expect(configuration.abstract.hasSuffix("."), "\(path)")
      if path.count > 1 {
        #expect(configuration.discussion.contains("Example:  muster"), "\(path)")
      }
    }
  }

  @Test func `has only examples that the commands accept`() throws {
    var count = 0
    for (_, type) in Self.commands {
      for line in type.configuration.discussion.split(separator: "\n") {
        guard let words = CommandLineText(line).words else { continue }
        count += 1
        try expectAccepted(words)
      }
    }
    #expect(count > 50)
  }

  @Test(arguments: [
    "README.md", "CONTRIBUTING.md", "docs/administration.md", "docs/amazon-location.md",
    "docs/api.md", "docs/architecture.md", "docs/archive.md", "docs/benchmarks.md",
    "docs/check-ins.md", "docs/cognito-sync.md", "docs/dashboard.md", "docs/maps.md",
    "docs/proximity.md", "docs/status.md", "docs/threat-model.md", "Packaging/muster.service",
  ])
  func `is in agreement with the documents`(name: String) throws {
    let repository = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: repository.appending(path: name), encoding: .utf8)
    let lines = text.split(separator: "\n").map(String.init)
    let spans = text.matches(of: /`(muster [^`]*)`/).map { String($0.1).replacing("\n", with: " ") }
    for line in lines {
      if let words = CommandLineText(line).words { try expectAccepted(words) }
    }
    for span in spans {
      if let words = CommandLineText(span).words { try expectAccepted(words, isMention: true) }
    }
  }

  /// - Parameter isMention: whether the values of arguments may be missing, as within a sentence.
  private func expectAccepted(_ words: [String], isMention: Bool = false) throws {
    if let unknown = CommandTree.unknownCommand(in: words) {
      Issue.record("\(words): \(unknown)")
      return
    }
    do {
      _ = try Muster.parseAsRoot(words.map(CoordinateArguments.shielded))
    } catch {
      if Muster.exitCode(for: error) == .success { return }
      if isMention, Muster.message(for: error).hasPrefix("Missing ") { return }
      Issue.record("\(words): \(Muster.message(for: error))")
    }
  }
}

/// A command as documentation shows it.
private struct CommandLineText {
  /// The arguments; nil if the line is no command, or has a placeholder.
  let words: [String]?

  init(_ line: some StringProtocol) {
    guard
      let command = String(line).firstMatch(of: /^(?:Example:|[\w -]*:)?\s*(?:\$ )?muster (.*)$/)
    else {
      words = nil
      return
    }
    var words: [String] = []
    for match in String(command.1).matches(of: /"([^"]*)"|'([^']*)'|(\S+)/) {
      let word = String(match.1 ?? match.2 ?? match.3 ?? "")
      if ["#", ">", "|"].contains(word) { break }
      words.append(word)
    }
    let isWhole = words.allSatisfy { word in
      !word.contains("…") && !word.contains("[")
        && !(word == word.uppercased() && word.count > 1
          && word.allSatisfy(\.isLetter))
        && !word.contains("HOST") && !word.contains("FILE")
    }
    self.words = isWhole && !words.isEmpty ? words : nil
  }
}

@Suite struct `A command line that is not understood` {
  @Test(
    arguments: [
      (["reprot", "list"], "There is no command 'muster reprot'. Did you mean 'muster report'?"),
      (["report", "lst"], "Did you mean 'muster report list'?"),
      (["zzzzzz"], "There is no command 'muster zzzzzz'."),
      (["help", "reprot"], "Did you mean 'muster report'?"),
    ] as [([String], String)])
  func `names the command that was meant`(words: [String], text: String) throws {
    let unknown = try #require(CommandTree.unknownCommand(in: words))
    let lines = "\(unknown)".split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[0].hasSuffix(text), "\(lines[0])")
    #expect(lines[1].hasPrefix("See: muster"))
  }

  @Test func `is left to the parser if every command exists`() {
    for words in [
      [], ["help"], ["--help"], ["zone", "list"], ["report"], ["report", "show", "x"],
      ["ack", "lst"], ["report", "photo", "3f9a", "1"],
    ] {
      #expect(CommandTree.unknownCommand(in: words) == nil, "\(words)")
    }
  }

  @Test(
    arguments: [
      (["report", "list", "--jsn"], "Did you mean '--json'?", "muster report list --help"),
      (["report", "show"], "Missing expected argument", "muster report show --help"),
      (
        ["report", "add", "--titel", "x"], "Did you mean '--title'?", "muster report add --help"
      ),
      (
        ["zone", "add", "--nam=x", "--circle", "1,2,3"], "Unknown option '--nam'.",
        "muster zone add --help"
      ),
      (
        ["report", "add", "--title", "x", "--category", "rain"], "fire", "muster report add --help"
      ),
      (["user", "status", "fine"], "'safe' and 'help'", "muster user status --help"),
    ] as [([String], String, String)])
  func `is explained on two lines`(words: [String], reason: String, help: String) {
    do {
      _ = try Muster.parseAsRoot(words)
      Issue.record("\(words) was accepted")
    } catch {
      let lines = UsageMessage.complaint(error, about: words).split(separator: "\n")
      #expect(lines.count == 2)
      #expect(lines.first?.contains(reason) == true, "\(lines)")
      #expect(lines.last.map(String.init) == "See: \(help)")
    }
  }
}
