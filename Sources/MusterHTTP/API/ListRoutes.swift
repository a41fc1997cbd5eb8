internal import Hummingbird
internal import MusterInterchange
internal import MusterModel
internal import MusterNode
internal import NIOCore

/// Lists of data sets in pages, and single rows.
enum ListRoutes {
  static let routes: [Route] = listing + MapFeeds.routes + single

  static let paging = [
    Route.Parameter(
      name: "limit", shape: .limit(most: Rows.mostPerPage), isRequired: false,
      about: "The page size; \(Rows.page) by default."),
    Route.Parameter(
      name: "cursor", shape: .text, isRequired: false,
      about: "The `next` of the previous page."),
  ]

  private static let listing: [Route] = [
    list("/api/v1/users", "List people with their status", .users, "User"),
    list("/api/v1/reports", "List hazard reports", .reports, "Report"),
    list("/api/v1/fences", "List geofences with the people inside", .fences, "Fence"),
    list("/api/v1/directives", "List directives", .directives, "Directive"),
    list("/api/v1/devices", "List enrolled devices", .devices, "Device"),
    Route(
      .get, "/api/v1/events", "List ENTER and EXIT events in order of arrival", rights: .read,
      parameters: [
        paging[0],
        Route.Parameter(
          name: "cursor", shape: .count, isRequired: false,
          about: "The `next` of the previous page: only later events."),
      ],
      result: .json(page(of: .named("Event"), next: .nullable(.count)))
    ) { api, call in
      let limit = call.queryInteger("limit") ?? Rows.page
      let command = Command.events(
        after: call.queryInteger("cursor") ?? 0, limit: Int(limit))
      guard case .events(let events) = try await api.ask(command) else { throw Problem.unexpected }
      // `next` is also set on the last page: later events follow it.
      let next = events.last.map { JSON.integer($0.arrival) } ?? call.query["cursor"] ?? .null
      return .ok(.object(["items": .array(events.map(\.json)), "next": next]))
    },
  ]

  private static func page(of item: Shape, next: Shape) -> Shape {
    .open([.must("items", .list(item, most: Int(Rows.mostPerPage))), .must("next", next)])
  }

  private static func list(
    _ path: String, _ summary: String, _ set: API.Listed, _ shape: String
  ) -> Route {
    Route(
      .get, path, summary, rights: .read, parameters: paging,
      result: .json(page(of: .named(shape), next: .nullable(.text)))
    ) { api, call in
      let rows = try await api.rows(set)
      let page = rows.page(
        after: call.query["cursor"]?.word, limit: call.queryInteger("limit") ?? Rows.page)
      return Answer(.ok, bytes: page, type: "application/json")
    }
  }

  // MARK: Single rows

  private static let single: [Route] = [
    Route(
      .get, "/api/v1/reports/{id}", "Get a report with its version for If-Match", rights: .read,
      result: .json(.named("ReportDetails"))
    ) { api, call in
      try await versioned(.report, api, call) {
        guard case .reports(let reports) = $0 else { return nil }
        return reports.first?.detailsJSON
      }
    },
    Route(
      .get, "/api/v1/fences/{id}", "Get a fence with its version for If-Match", rights: .read,
      result: .json(.named("Fence"))
    ) { api, call in
      try await versioned(.fence, api, call) {
        guard case .fences(let fences) = $0 else { return nil }
        return fences.first?.json
      }
    },
    Route(
      .get, "/api/v1/directives/{id}", "Get a directive with its version for If-Match",
      rights: .read,
      result: .json(.named("Directive"))
    ) { api, call in
      try await versioned(.directive, api, call) {
        guard case .directives(let directives) = $0 else { return nil }
        return directives.first?.json(now: SystemClock.wall)
      }
    },
    Route(
      .get, "/api/v1/users/{id}", "Get a person by id or callsign", rights: .read,
      result: .json(.named("User"))
    ) { api, call in
      guard case .users(let users) = try await api.ask(.users) else { throw Problem.unexpected }
      let (prefix, likeness) = (IdentifierPrefix(call.id), NameLikeness(call.id))
      let found =
        [
          users.filter { "\($0.id)" == call.id },
          users.filter { NameLikeness($0.callsign).isLike(likeness) },
          users.filter { prefix?.begins($0.id) ?? false },
        ].first { !$0.isEmpty } ?? []
      guard found.count == 1 else {
        throw Problem(.notFound, "\(found.count) people have the callsign \(call.id.prefix(60))")
      }
      return .ok(found[0].json)
    },
  ]

  /// The version is read first: a concurrent write makes it outdated, which the next conditional
  /// write detects.
  private static func versioned(
    _ kind: EntityKind, _ api: API, _ call: Call, _ json: (Reply) -> JSON?
  ) async throws -> Answer {
    let command: Command =
      switch kind {
      case .fence: .fence(call.id)
      case .directive: .directive(call.id)
      default: .report(call.id)
      }
    let version = try await api.node.version(of: kind, named: call.id)
    guard let found = json(try await api.ask(command)) else {
      throw Problem(.notFound, "no \(kind) \(call.id.prefix(40)) here")
    }
    var answer = Answer.ok(found)
    answer.headers[.eTag] = "\"\(version)\""
    return answer
  }
}
