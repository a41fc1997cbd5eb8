import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  @Suite struct TerminalTests {
    private static let name = "Maria da Conceição Fernandes-Oliveira"
    private static let title =
      "Bridge out on the EN339 above Loriga, heavy vehicles cannot pass, use the forest road"

    private static let listings = [
      ["status"], ["peers"], ["peers", "--mesh"], ["user", "list"], ["report", "list"],
      ["report", "show", title], ["zone", "list"],
      ["zone", "show", "Assembly zone at the school"],
      ["zone", "rule", "list"], ["report", "photo", "list", title],
      ["order", "list"], ["order", "show", "rollcall"], ["alert", "list"], ["event", "list"],
      ["permit", "list"], ["contact", "list"], ["checkin", "list"], ["history", "--from", "1h"],
      ["proximity", "status"], ["proximity", "list"], ["proximity", "own"],
      ["proximity", "sessions"], ["proximity", "notices"], ["proximity", "review"],
      ["invite", "list"], ["device", "list"], ["council", "status"], ["quarantine", "list"],
      ["login", "list"], ["roster", "list"], ["call", "list"], ["access-key", "list"],
      ["map", "list"],
      ["webhook", "list"],
      ["webhook", "failed", "board"], ["settings", "show"], ["verify"], ["doctor"],
      ["watch", "--once"],
    ]
    /// Commands that print no more than a line or two about what they did, or run until they are
    /// ended.
    private static let others: Set = [
      "init", "run", "invite", "join", "admit", "user status", "ack", "sos", "revoke", "export",
      "zone export", "event follow", "alert follow", "login devices", "roster export",
    ]
    /// The last words of further such commands.
    private static let acts: Set = [
      "ack", "activate", "add", "arrive", "clear", "clock", "close", "comment", "confirm",
      "consent", "create", "deactivate", "delete", "edit", "endorse", "evacuate", "expect",
      "extend", "get", "import", "keep", "locate", "merge", "message", "muster", "off", "ok", "on",
      "override", "propose", "publish", "release", "remove", "renew", "report-positive", "request",
      "restore-device", "retry", "revoke", "revoke-device", "rollcall", "rotate", "send", "set",
      "shelve", "signoff", "signon", "start", "stop", "team", "unshelve", "withdraw",
      "withdraw-report",
    ]

    @Test func `every listing with long names fits a terminal of 80 columns, and a file has all`()
      async throws
    {
      try await Field.run { field in
        // Given two laptops with long names in everything
        let maria = try await field.founder(Self.name, of: "Serra da Estrela wildfire, August")
        let mariasNode = try await maria.run()
        let ben = try await field.joiner(
          "Benedikt von Hohenstein-Lichtenfels", inviting: maria)
        _ = try await ben.run(peers: [mariasNode])
        try await inStep(maria, ben) { $0["users"] == .number(2) }
        try await prepare(maria, ben)
        let people = try field.file(
          "people.csv",
          "Maximiliane Freifrau von und zu Guttenberg-Hohenstein,Second line of the western valley,"
            + "paramedic and driver,+351 (238) 320-700\nBenedikt von Hohenstein-Lichtenfels\n")
        try await maria.send("roster", "import", people)

        // Then the terminal wraps, and the pipe does not
        for words in Self.listings {
          let lines = try Terminal.lines(
            of: words, on: maria, columns: 80, environment: ["NO_COLOR": "1"])
          #expect(!lines.isEmpty, "\(words)")
          #expect(!lines.joined().contains("\u{1B}"), "colours despite NO_COLOR: \(words)")
          for line in lines { #expect(width(line) <= 80, "\(words): \(line)") }
        }
        let file = try await maria.send("report", "list")
        #expect(file.contains(Self.title) && file.contains(Self.name))
        #expect(!file.contains("\u{1B}"))
        let coloured = try Terminal.lines(of: ["user", "list"], on: maria, columns: 80)
        #expect(coloured.joined().contains("\u{1B}["))

        // And rows and people are found by their names
        let id = try await maria.ask("fence", "show", "assembly zone at the school")["id"].text
        #expect(id != nil)
        try await maria.attempt("fence", "show", "Asembly zone at the school")
          .expectRefusal(containing: "did you mean 'Assembly zone at the school'?")
        try await maria.send("fence", "add", "--name", "Twin", "--circle", "1,1,10")
        try await maria.send("fence", "add", "--name", "Twin", "--circle", "1,1,20")
        try await maria.attempt("fence", "delete", "--yes", "Twin")
          .expectRefusal(containing: "2 zones match 'Twin'")
        try await maria.attempt("user", "override", "Benedict von Hohenstein-Lichtenfels", "safe")
          .expectRefusal(containing: "did you mean 'Benedikt von Hohenstein-Lichtenfels'?")
      }
    }

    @Test func `times are local, or UTC on request, and JSON is always UTC`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        try await anna.send("position", "set", "47,8", "--time", "2026-01-02T03:04:05.678Z")
        let zone = ["TZ": "Asia/Kolkata"]
        let local = try Terminal.lines(of: ["status"], on: anna, columns: 80, environment: zone)
        #expect(local.contains { $0.contains("at 2026-01-02 08:34:05") }, "\(local)")
        let utc = try Terminal.lines(
          of: ["status", "--utc"], on: anna, columns: 80, environment: zone)
        #expect(utc.contains { $0.contains("at 2026-01-02 03:04:05Z") }, "\(utc)")
        let json = try Terminal.lines(
          of: ["status", "--json"], on: anna, columns: 80, environment: zone)
        #expect(json.joined().contains("2026-01-02T03:04:05.678Z"))
      }
    }

    @Test func `the manual page and the completions have every command and option`() async throws {
      try await Field.run { field in
        let laptop = try field.laptop("Anna")
        let dump = try await laptop.output(of: "--experimental-dump-help")
        let script = URL(filePath: #filePath).deletingLastPathComponent()
          .deletingLastPathComponent().deletingLastPathComponent()
          .appending(path: "Scripts/manual.py")
        let file = try field.file("help.json", dump)
        let manual = try await Python.run([script.path, file])
        #expect(manual.status == 0)
        let page = manual.output.replacing("\\-", with: "-")
        let completions = try await laptop.output(of: "--generate-completion-script", "bash")
        let root = try JSONDecoder().decode(Dump.self, from: Data(dump.utf8)).command
        let commands = root.leaves(path: [])
        #expect(commands.count > 40)
        for (path, _) in commands {
          let name = path.dropFirst().joined(separator: " ")
          #expect(
            Self.listings.contains { $0.joined(separator: " ").hasPrefix(name) }
              || Self.others.contains(name) || Self.acts.contains(path.last ?? ""),
            "\(name): list it among the listings that fit 80 columns")
        }
        for (path, command) in commands {
          #expect(page.contains(".SS \"\(path.joined(separator: " "))\""), "\(path)")
          for option in command.options where option != "version" && option != "help" {
            #expect(page.contains("\\fB--\(option)\\fR"), "\(path) --\(option)")
            #expect(completions.contains("--\(option)"), "\(path) --\(option)")
          }
        }
        #expect(page.contains("type a name") && page.contains("--yes"))
      }
    }

    private func prepare(_ maria: Laptop, _ ben: Laptop) async throws {
      try await maria.send(
        "report", "add", "--title", Self.title, "--category", "structure", "--severity", "4",
        "--at", "40.40,-7.53", "--evacuate")
      try await maria.send(
        "fence", "add", "--name", "Assembly zone at the school", "--kind", "muster", "--circle",
        "40.3998,-7.5390,200")
      try await maria.send(
        "fence", "add", "--name", "Plume of the chemical plant in the north", "--kind", "hazard",
        "--circle", "40.41,-7.55,300")
      try await maria.send(
        "permit", "add", "Plume of the chemical plant in the north", "--user",
        "Benedikt von Hohenstein-Lichtenfels", "--for", "30m")
      try await maria.send(
        "contact", "add", "Hospital Nossa Senhora da Assunção, emergency department", "--phone",
        "+351 (238) 320-700", "--at", "40.418,-7.702", "--note", "open day and night, helipad")
      try await maria.send(
        "direct", "muster", "--zone", "Assembly zone at the school", "--text",
        "Take the forest road and leave all vehicles at the fountain")
      try await maria.send("direct", "rollcall", "--deadline", "10m")
      try await maria.send(
        "fence", "rule", "add", "Plume of the chemical plant in the north", "--within", "200")
      try await maria.send(
        "checkin", "start", "--every", "20m", "--note", "Walking the western line to the quarry")
      try await maria.send("position", "set", "40.3998,-7.5390", "--accuracy", "12")
      try await maria.send(
        "webhook", "add", "board", "http://127.0.0.1:9/hooks/of/a/long/address/for/this/test")
      try await ben.send("user", "status", "help", "--note", "Trapped on the second floor")
      try await inStep(maria, ben) { $0["reports"] == .number(1) && $0["fences"] == .number(2) }
    }

    /// The letters of these tests take one column each.
    private func width(_ line: String) -> Int { line.count }
  }
}

/// What the program prints about its commands.
private struct Dump: Decodable {
  let command: Command

  struct Command: Decodable {
    let commandName: String
    let shouldDisplay: Bool
    let subcommands: [Command]?
    let arguments: [Argument]?

    /// The commands without subcommands, with their names from the root.
    func leaves(path: [String]) -> [(path: [String], command: Command)] {
      let path = path + [commandName]
      let children = (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
      return children.isEmpty ? [(path, self)] : children.flatMap { $0.leaves(path: path) }
    }

    /// Long names of the shown options.
    var options: [String] {
      (arguments ?? []).filter(\.shouldDisplay).flatMap { $0.names ?? [] }
        .filter { $0.kind == "long" }.map(\.name)
    }
  }

  struct Argument: Decodable {
    let shouldDisplay: Bool
    let names: [Name]?
  }

  struct Name: Decodable {
    let kind: String
    let name: String
  }
}

extension Laptop {
  /// The output of the program without a home.
  fileprivate func output(of words: String...) async throws -> String {
    let child = try field.start(words, environment: [:], stays: false)
    let ended = try await child.end(within: .seconds(60))
    guard ended.status == 0 else { throw Failed("\(ended)") }
    return ended.output
  }
}
