internal import Hummingbird
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// The routes that write. Each replies once its change is durable; the node authorizes it.
extension API {
  static let writing: [Route] = reportWrites + fenceWrites + zoneRules + people + directiveWrites

  // MARK: Reports

  private static let details: [Shape.Member] = [
    .may("description", .paragraphs),
    .may("category", .choice(ReportCategory.allCases.map(\.name))),
    .may(
      "severity",
      .integer(Int64(Limits.severity.lowerBound)...Int64(Limits.severity.upperBound))),
    .may("lat", .latitude, with: "lon"), .may("lon", .longitude, with: "lat"),
    .may("toEvacuate", .flag),
  ]

  private static let reportWrites: [Route] = [
    Route(
      .post, "/api/v1/reports", "Add a report",
      body: .object([.must("title", .line)] + details, least: 1), result: .created
    ) { api, call in
      let draft = ReportDraft(
        title: call.text("title") ?? "", details: call.text("description"),
        category: call.category, severity: call.severity, position: call.place,
        toEvacuate: call.flag("toEvacuate") ?? false)
      return try await api.created(.addReport(draft), below: "/api/v1/reports")
    },
    Route(
      .patch, "/api/v1/reports/{id}", "Change a report; omitted members stay unchanged",
      body: .object(
        [
          .may("title", .line), .may("status", .choice(ReportStatus.allCases.map(\.name))),
        ] + details, least: 1),
      result: .done, takesVersion: true
    ) { api, call in
      let changes = ReportChanges(
        title: call.text("title"), details: call.text("description"), category: call.category,
        severity: call.severity, position: call.place, toEvacuate: call.flag("toEvacuate"),
        status: call.text("status").flatMap { name in
          ReportStatus.allCases.first { $0.name == name }
        })
      return try await api.done(.editReport(call.id, changes), on: .report, call)
    },
    Route(
      .delete, "/api/v1/reports/{id}", "Delete a report", result: .done, takesVersion: true
    ) { api, call in
      try await api.done(.deleteReport(call.id), on: .report, call)
    },
    Route(
      .post, "/api/v1/reports/{id}/confirm", "Confirm a report", result: .done
    ) { api, call in
      try await api.done(.confirmReport(call.id))
    },
    Route(
      .post, "/api/v1/reports/{id}/comments", "Add a comment to a report",
      body: .object([.must("text", .remark)], least: 1), result: .done
    ) { api, call in
      let text = call.text("text") ?? ""
      guard text.contains(where: { !$0.isWhitespace }) else {
        throw Problem(.unprocessableContent, "the comment is empty", at: "/text")
      }
      return try await api.done(.commentReport(call.id, text: text))
    },
  ]

  // MARK: Fences

  private static let fenceWrites: [Route] = [
    Route(
      .post, "/api/v1/fences", "Add a fence: a circle, or an outline as GeoJSON",
      body: .object(
        [
          .must("name", .line), .may("kind", .choice(FenceKind.allCases.map(\.name))),
          .may("circle", Shape.circle), .may("geojson", .open([])),
          .may("dwellSeconds", .integer(0...Int64(Limits.spanSeconds))),
          .may("mode", .choice(["careful", "strict-aws"])),
          .may("needs", .choice(Role.allCases.map(\.name))), .may("active", .flag),
          .may("reviewSeconds", .integer(1...Int64(Limits.spanSeconds))),
          .may("entryAlert", .flag), .may("order", zoneOrder),
        ], least: 2),
      result: .created
    ) { api, call in
      var (draft, isActive) = try call.fence()
      draft.dwellSeconds = UInt32(clamping: call.integer("dwellSeconds") ?? 0)
      draft.mode = call.text("mode") == "strict-aws" ? .strictAWS : .careful
      draft.needs = call.text("needs").flatMap(Role.init(name:))
      draft.reviewSeconds = call.integer("reviewSeconds").map { UInt32(clamping: $0) }
      draft.alertsEntry = call.flag("entryAlert") ?? true
      if let order = call["order"] {
        guard isActive else {
          throw Problem(.unprocessableContent, "a zone with an order must be active", at: "/active")
        }
        return try await api.naming { try await api.draw(draft, ordering: order) }
      }
      guard case .created(let id) = try await api.ask(.addFence(draft)) else {
        throw Problem.unexpected
      }
      if !isActive { _ = try await api.ask(.setFenceActive("\(id)", false)) }
      return .created("\(id)", below: "/api/v1/fences")
    },
    Route(
      .patch, "/api/v1/fences/{id}", "Change a fence; omitted members stay unchanged",
      body: .object(
        [
          .may("name", .line), .may("kind", .choice(FenceKind.allCases.map(\.name))),
          .may("circle", Shape.circle), .may("geojson", .open([])),
          .may("dwellSeconds", .integer(0...Int64(Limits.spanSeconds))),
          .may("reviewSeconds", .integer(0...Int64(Limits.spanSeconds))),
          .may("entryAlert", .flag),
        ], least: 1),
      result: .done, takesVersion: true
    ) { api, call in
      let changes = FenceChanges(
        name: call.text("name"), kind: call.text("kind").flatMap(FenceKind.init(name:)),
        geometry: try call.outline()?.geometry,
        dwellSeconds: call.integer("dwellSeconds").map { UInt32(clamping: $0) },
        reviewSeconds: call.integer("reviewSeconds").map { UInt32(clamping: $0) },
        alertsEntry: call.flag("entryAlert"))
      return try await api.done(.editFence(call.id, changes), on: .fence, call)
    },
    Route(
      .post, "/api/v1/fences/{id}/activate", "Activate a fence", result: .done,
      takesVersion: true
    ) { api, call in
      try await api.done(.setFenceActive(call.id, true), on: .fence, call)
    },
    Route(
      .post, "/api/v1/fences/{id}/deactivate", "Deactivate a fence: it is only drawn",
      result: .done, takesVersion: true
    ) { api, call in
      try await api.done(.setFenceActive(call.id, false), on: .fence, call)
    },
    Route(
      .delete, "/api/v1/fences/{id}", "Delete a fence permanently", result: .done,
      takesVersion: true
    ) { api, call in
      try await api.done(.deleteFence(call.id), on: .fence, call)
    },
  ]

  /// The order that accompanies a new assembly zone; for everyone if it names no audience.
  private static let zoneOrder = Shape.object(
    [
      .may("kind", .choice(["muster", "evacuate"])), .may("text", .paragraphs),
      .may("role", .choice(Role.allCases.map(\.name))), .may("team", .line),
      .may("users", .list(.text, most: 256)),
      .may("deadlineSeconds", .integer(1...Int64(Limits.spanSeconds))),
    ], least: 0)

  private func draw(_ draft: FenceDraft, ordering order: JSON) async throws -> Answer {
    let members = order.members ?? [:]
    let users = members["users"]?.elements?.compactMap(\.word) ?? []
    guard
      [members["role"] != nil, members["team"] != nil, !users.isEmpty].count(where: { $0 }) <= 1
    else {
      throw Problem(.unprocessableContent, "name only one of role, team and users")
    }
    var seconds: Int64?
    if case .number(let digits)? = members["deadlineSeconds"] { seconds = Int64(digits) }
    let directive = DirectiveOrder(
      kind: members["kind"]?.word == "evacuate" ? .evacuate : .muster,
      text: members["text"]?.word ?? "", role: members["role"]?.word.flatMap(Role.init(name:)),
      team: members["team"]?.word, users: users, deadlineSeconds: seconds)
    guard case .ordered(let zone, _) = try await ask(.addAssemblyZone(draft, order: directive))
    else { throw Problem.unexpected }
    return .created("\(zone)", below: "/api/v1/fences")
  }

  // MARK: Directives

  private static let directiveWrites: [Route] = [
    Route(
      .post, "/api/v1/directives", "Issue a directive to everyone, a role, a team or some people",
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
      guard let kind = DirectiveKind.allCases.first(where: { $0.name == call.text("kind") }) else {
        throw Problem(.badRequest, "no such kind", at: "/kind")
      }
      let order = DirectiveOrder(
        kind: kind, text: call.text("text") ?? "",
        role: call.text("role").flatMap(Role.init(name:)), team: call.text("team"), users: users,
        zones: (call["zones"]?.elements?.compactMap(\.word) ?? [])
          + [call.text("fence")].compactMap { $0 },
        deadlineSeconds: call.integer("deadlineSeconds"))
      return try await api.naming { try await api.created(.direct(order), below: directives) }
    },
    Route(
      .post, "/api/v1/directives/{id}/close", "Close a directive", result: .done,
      takesVersion: true
    ) { api, call in
      try await api.done(.closeDirective(call.id), on: .directive, call)
    },
    Route(
      .post, "/api/v1/directives/{id}/acknowledgements",
      "Acknowledge a directive; on behalf of a person as command or as the tracker's owner",
      body: .object([.may("note", .paragraphs), .may("user", .text)], least: 0), result: .done
    ) { api, call in
      let command = Command.acknowledge(
        call.id, note: call.text("note") ?? "", user: try call.text("user") ?? call.speaker())
      guard call["user"] != nil else { return try await api.done(command) }
      _ = try await api.node.version(of: .directive, named: call.id)
      return try await api.naming { try await api.done(command) }
    },
    Route(
      .post, "/api/v1/directives/{id}/acknowledgements/undo",
      "Withdraw an acknowledgement, or as command or the tracker's owner a person's",
      body: .object([.may("user", .text)], least: 0), result: .done
    ) { api, call in
      _ = try await api.node.version(of: .directive, named: call.id)
      return try await api.naming {
        let user = try call.text("user") ?? call.speaker()
        return try await api.done(.withdrawAcknowledgement(call.id, user: user))
      }
    },
  ]

  private static let directives = "/api/v1/directives"

  // MARK: Responses

  /// An unknown row is reported for the body, which named it, and not for the path.
  func naming(_ work: () async throws -> Answer) async throws -> Answer {
    do {
      return try await work()
    } catch let problem as Problem where problem.status == .notFound {
      throw Problem(.unprocessableContent, problem.detail)
    }
  }

  func created(_ command: Command, below path: String) async throws -> Answer {
    guard case .created(let id) = try await ask(command) else { throw Problem.unexpected }
    return .created("\(id)", below: path)
  }

  func done(_ command: Command) async throws -> Answer {
    _ = try await ask(command)
    return Answer(.noContent)
  }

  func done(
    _ command: Command, on kind: EntityKind, _ call: Call
  ) async throws -> Answer {
    _ = try await ask(command, on: kind, call)
    return Answer(.noContent)
  }
}

extension Call {
  fileprivate var category: ReportCategory? {
    text("category").flatMap { name in ReportCategory.allCases.first { $0.name == name } }
  }

  fileprivate var severity: UInt8? { integer("severity").flatMap { UInt8(exactly: $0) } }
}
