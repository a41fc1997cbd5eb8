internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// The rules of fences about the people inside.
enum ZoneRuleRoutes {
  static let routes: [Route] = [
    Route(
      .post, "/api/v1/fences/{id}/rules", "Add a rule to a fence", rights: .command,
      body: .object(
        [
          .must("kind", .choice(ZoneRuleKind.allCases.map(\.name))),
          .must("number", .integer(0...Int64(Limits.spanSeconds))),
          .may("role", .choice(Role.allCases.map(\.name))), .may("team", .line),
        ], least: 2),
      result: .done
    ) { api, call in
      guard let kind = call.text("kind").flatMap(ZoneRuleKind.init(name:)) else {
        throw Problem(.badRequest, "no such kind of rule", at: "/kind")
      }
      let rule = ZoneRule(
        kind: kind, number: UInt32(clamping: call.integer("number") ?? 0),
        role: call.text("role").flatMap(Role.init(name:)), team: call.text("team") ?? "")
      guard rule.isWithinLimits else {
        let numbers = kind.numbers
        throw Problem(
          .unprocessableContent,
          "send a number from \(numbers.lowerBound) to \(numbers.upperBound), and a role or a team,"
            + " not both", at: "/number")
      }
      return try await api.done(.addFenceRule(call.id, rule))
    },
    Route(
      .post, "/api/v1/fences/{id}/rules/remove", "Remove a rule from a fence", rights: .command,
      body: .object([.must("rule", .text)], least: 1), result: .done
    ) { api, call in
      try await api.done(.removeFenceRule(call.id, rule: call.text("rule") ?? ""))
    },
  ]
}
