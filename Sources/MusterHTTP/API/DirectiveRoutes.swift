internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// Writes of directives, and answers to them.
enum DirectiveRoutes {
  static let routes: [Route] = [
    Route(
      .post, "/api/v1/directives", "Issue a directive to everyone, a role, a team or some people",
      rights: .command,
      body: .object(
        [
          .must("kind", .choice(DirectiveKind.allCases.map(\.name))), .may("text", .paragraphs),
          .may("role", .choice(Role.allCases.map(\.name))), .may("team", .line),
          .may("users", .list(.text, most: 256)), .may("fence", .reference),
          .may("zones", .list(.text, most: Limits.zonesPerDirective)),
          .may("deadlineSeconds", .integer(1...Int64(Limits.spanSeconds))),
        ], least: 1),
      result: .created
    ) { api, call in
      let users = call["users"]?.elements?.compactMap(\.word) ?? []
      let addressees = [call["role"] != nil, call["team"] != nil, !users.isEmpty]
      guard addressees.count(where: { $0 }) <= 1 else {
        throw Problem(.unprocessableContent, "name only one of role, team and users")
      }
      guard let kind = call.text("kind").flatMap(DirectiveKind.init(name:)) else {
        throw Problem(.badRequest, "no such kind", at: "/kind")
      }
      let order = DirectiveOrder(
        kind: kind, text: call.text("text") ?? "",
        role: call.text("role").flatMap(Role.init(name:)), team: call.text("team"), users: users,
        zones: (call["zones"]?.elements?.compactMap(\.word) ?? [])
          + [call.text("fence")].compactMap { $0 },
        deadlineSeconds: call.integer("deadlineSeconds"))
      return try await api.naming { try await api.created(.direct(order), below: path) }
    },
    Route(
      .post, "/api/v1/directives/{id}/close", "Close a directive", rights: .command, result: .done,
      takesVersion: true
    ) { api, call in
      try await api.done(.closeDirective(call.id), on: .directive, call)
    },
    Route(
      .post, "/api/v1/directives/{id}/acknowledgements",
      "Acknowledge a directive; on behalf of a person as command or as the tracker's owner",
      rights: .answer,
      body: .object([.may("note", .paragraphs), .may("user", .text)], least: 0), result: .done,
      datedText: "note", salvages: true
    ) { api, call in
      let command = Command.acknowledge(
        call.id, note: call.text("note") ?? "", user: try person(answeredFor: call))
      guard call["user"] != nil else { return try await api.done(command) }
      _ = try await api.node.version(of: .directive, named: call.id)
      return try await api.naming { try await api.done(command) }
    },
    Route(
      .post, "/api/v1/directives/{id}/acknowledgements/undo",
      "Withdraw an acknowledgement, or as command or the tracker's owner a person's",
      rights: .answer,
      body: .object([.may("user", .text)], least: 0), result: .done
    ) { api, call in
      _ = try await api.node.version(of: .directive, named: call.id)
      return try await api.naming {
        let user = try person(answeredFor: call)
        return try await api.done(.withdrawAcknowledgement(call.id, user: user))
      }
    },
  ]

  private static let path = "/api/v1/directives"

  /// The person of an answer: that of the body, or the caller's own.
  private static func person(answeredFor call: Call) throws(Problem) -> String? {
    guard let user = call.text("user") else { return try call.speaker() }
    guard call.person?.speaksForItself != true else {
      throw Problem(
        .forbidden, "this login answers for its own person only: ask command", at: "/user")
    }
    return user
  }
}
