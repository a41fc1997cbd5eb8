internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// Calls for help whose callers are not proven.
enum UnverifiedCallRoutes {
  private static let path = "/api/v1/unverified-calls"

  static let routes: [Route] = [
    Route(
      .get, path, "List the open calls for help whose callers are not proven, newest first",
      rights: .read,
      parameters: [
        Route.Parameter(
          name: "state", shape: .choice(["open", "all"]), isRequired: false,
          about: "With `all`, the newest ended calls follow.")
      ],
      result: .json(
        .open([
          .must(
            "items", .list(.named("UnverifiedCall"), most: 2 * Limits.shownUnverifiedCalls)),
          .must("further", .count),
        ]))
    ) { api, call in
      let command = Command.unverifiedCalls(includesEnded: call.query["state"]?.word == "all")
      guard case .unverifiedCalls(let calls) = try await api.ask(command) else {
        throw Problem.unexpected
      }
      return .ok(calls.json)
    },
    Route(
      .post, "\(path)/{id}/confirm",
      "State who called, as command: the person is a MAYDAY with all that the call states",
      rights: .urgentCommand,
      body: .object([.must("user", .text)], least: 1), result: .done
    ) { api, call in
      _ = try await api.node.version(of: .unverifiedCall, named: call.id)
      return try await api.naming {
        try await api.done(.confirmUnverifiedCall(call.id, user: call.text("user") ?? ""))
      }
    },
    Route(
      .post, "\(path)/{id}/close", "Close a call as command, with a reason", rights: .command,
      body: .object([.must("reason", .paragraphs)], least: 1), result: .done
    ) { api, call in
      try await api.done(.closeUnverifiedCall(call.id, reason: call.text("reason") ?? ""))
    },
  ]

  static let shape = Shape.open(
    [
      .must("id", .reference), .must("name", .text), .must("address", .text),
      .must("note", .text), .must("cause", .choice(UnverifiedCause.allCases.map(\.name))),
      .must("madeAt", .nullable(.time)), .must("receivedAt", .time),
      .must("receivedBy", .text), .must("messages", .count), .must("others", .count),
      .must("state", .choice(UnverifiedCallState.allCases.map(\.name))),
      .must("reason", .text), .must("person", .nullable(.reference)),
      .must("personName", .text), .must("decidedBy", .text),
      .must("decidedAt", .nullable(.time)),
    ] + Components.placed)
}
