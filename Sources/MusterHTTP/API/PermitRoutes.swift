internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// Entry permits for hazard zones.
enum PermitRoutes {
  static let routes: [Route] = [
    Route(
      .get, "/api/v1/permits", "List the entry permits", rights: .read,
      result: .json(
        .open([.must("items", .list(.named("Permit"), most: Int(Rows.mostPerPage)))]))
    ) { api, _ in
      guard case .permits(let permits) = try await api.ask(.permits) else {
        throw Problem.unexpected
      }
      return .ok(.object(["items": .array(permits.map(\.json))]))
    },
    Route(
      .post, "/api/v1/permits", "Issue an entry permit for a hazard zone to people or a team",
      rights: .command,
      body: .object(
        [
          .must("zone", .text), .may("users", .list(.text, most: Limits.namesPerGroup)),
          .may("team", .line),
          .must("durationSeconds", .integer(1...Int64(Limits.spanSeconds))),
        ], least: 2),
      result: .created
    ) { api, call in
      let order = PermitOrder(
        people: call["users"]?.elements?.compactMap(\.word) ?? [],
        team: call.text("team") ?? "", zone: call.text("zone") ?? "",
        durationSeconds: UInt32(clamping: call.integer("durationSeconds") ?? 0))
      return try await api.naming {
        try await api.created(.addPermit(order), below: "/api/v1/permits")
      }
    },
    Route(
      .post, "/api/v1/permits/{id}/revoke", "Revoke an entry permit", rights: .command,
      result: .done
    ) {
      api, call in try await api.done(.revokePermit(call.id))
    },
  ]
}
