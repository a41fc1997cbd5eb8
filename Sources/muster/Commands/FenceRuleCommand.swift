internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

extension FenceCommand {
  struct Rule: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rule",
      abstract: "Raise an alert by the people in a zone.",
      discussion: """
        Example:  muster zone rule add Camp --at-least 1 --role command

        Each laptop evaluates the rules by the positions that it holds.
        """,
      subcommands: [Add.self, List.self, Remove.self])

    struct Add: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Add a rule to a zone, as command.",
        discussion: """
          Example:  muster zone rule add Camp --at-least 1 --team Medics
                    muster zone rule add Shelter --at-most 40
                    muster zone rule add Camp --entry-by 30m --team North
                    muster zone rule add Fire --within 200

          With --role or --team, only these people count. A zone has at most 16 rules.
          """)

      @Argument(help: "The zone, by name or id.", completion: .zones)
      var zone: String

      @Option(
        help: ArgumentHelp("Alert if fewer people than this are inside.", valueName: "people"))
      var atLeast: UInt32?

      @Option(
        help: ArgumentHelp("Alert if more people than this are inside.", valueName: "people"))
      var atMost: UInt32?

      @Option(
        help: ArgumentHelp("Alert if no one enters within this time.", valueName: "duration"),
        transform: DurationArgument.init(parsing:))
      var entryBy: DurationArgument?

      @Option(
        help: ArgumentHelp("Alert if someone is inside or this close.", valueName: "metres"))
      var within: UInt32?

      @Option(help: "Count only people of this role.")
      var role: NameArgument<Role>?

      @Option(
        help: ArgumentHelp("Count only people of this team.", valueName: "name"), completion: .teams
      )
      var team: String?

      @OptionGroup var wait: WaitOptions
      @OptionGroup(title: "Node") var home: HomeOptions

      private var rules: [ZoneRule] {
        let numbers: [(ZoneRuleKind, UInt32?)] = [
          (.atLeast, atLeast), (.atMost, atMost),
          (.entryBy, entryBy.map { UInt32(clamping: $0.seconds) }), (.within, within),
        ]
        return numbers.compactMap { kind, number in
          number.map { ZoneRule(kind: kind, number: $0, role: role?.value, team: team ?? "") }
        }
      }

      func validate() throws {
        if let team { try TextArgument.check(team, .line, "team") }
        guard let rule = rules.first, rules.count == 1 else {
          throw ValidationError("give one of --at-least, --at-most, --entry-by and --within")
        }
        guard role == nil || team == nil else {
          throw ValidationError("give only one of --role and --team")
        }
        let numbers = rule.kind.numbers
        guard numbers.contains(rule.number) else {
          throw ValidationError(
            rule.kind == .entryBy
              ? "--entry-by is from 1s to 7d"
              : "the number must be from \(numbers.lowerBound) to \(numbers.upperBound)")
        }
      }

      func run() async throws {
        let connection = try await NodeConnection.open(home)
        let fence = try await connection.zone(named: zone, match: .whole)
        for rule in rules {
          try await connection.send(
            .addFenceRule("\(fence.id)", rule),
            "\(SafeText.line(fence.name)): \(SafeText.line(rule.words))", wait: wait.seconds)
        }
      }
    }

    struct List: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "List the rules of a zone, or of all zones.",
        discussion: "Example:  muster zone rule list Camp")

      @Argument(help: "Only this zone, by name or id.", completion: .zones)
      var zone: String?

      @OptionGroup(title: "Node") var home: HomeOptions
      @OptionGroup var output: OutputOptions
      @OptionGroup var times: TimeOptions

      func run() async throws {
        let connection = try await NodeConnection.open(home)
        let fences: [FenceSummary]
        if let zone {
          fences = [try await connection.zone(named: zone)]
        } else {
          guard case .fences(let all) = try await connection.ask(.fences) else {
            throw Refusal.unexpectedReply
          }
          fences = all
        }
        if output.json {
          return try Standard.print(
            JSON.array(
              fences.map {
                .object(["fence": .id($0.id), "name": .string($0.name), "rules": $0.rulesJSON])
              }
            ).text)
        }
        guard fences.contains(where: { !$0.rules.isEmpty }) else {
          return try Standard.print("No rules.")
        }
        var table = Table(["ZONE", "NUMBER", "RULE", "BY", "SINCE"], optional: ["BY", "SINCE"])
        for fence in fences {
          for (index, summary) in fence.rules.enumerated() {
            table.add([
              .init(fence.name, .strong), .init("\(index + 1)"), .init(summary.rule.words),
              .init(summary.callsign), .init(times.format.text(summary.writtenAt)),
            ])
          }
        }
        try Standard.print(table.text(on: .current))
      }
    }

    struct Remove: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Remove a rule from a zone, as command.",
        discussion: "Example:  muster zone rule remove Camp 1")

      @Argument(help: "The zone, by name or id.", completion: .zones)
      var zone: String

      @Argument(help: "The number of the rule in the list, or its id.")
      var rule: String

      @OptionGroup var wait: WaitOptions
      @OptionGroup(title: "Node") var home: HomeOptions

      func run() async throws {
        let connection = try await NodeConnection.open(home)
        let fence = try await connection.zone(named: zone, match: .whole)
        // The list may have changed since it was read: the id names the same rule.
        let number = Int(rule).map { $0 - 1 } ?? -1
        let id = fence.rules.indices.contains(number) ? fence.rules[number].id : rule
        try await connection.send(
          .removeFenceRule("\(fence.id)", rule: id), "Rule removed", wait: wait.seconds)
      }
    }
  }
}
