internal import Hummingbird
internal import MusterInterchange
internal import MusterModel
internal import MusterNode
internal import NIOCore

/// The read-only routes.
extension API {
  static let reading: [Route] = listing + MapFeeds.routes + single + places + state

  private static let paging = [
    Route.Parameter(
      name: "limit", shape: .integer(1...Rows.mostPerPage), isRequired: false,
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
      .get, "/api/v1/events", "List ENTER and EXIT events in order of arrival",
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
    _ path: String, _ summary: String, _ set: Listed, _ shape: String
  ) -> Route {
    Route(
      .get, path, summary, parameters: paging,
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
      .get, "/api/v1/reports/{id}", "Get a report with its version for If-Match",
      result: .json(.named("ReportDetails"))
    ) { api, call in
      try await api.versioned(.report, call) {
        guard case .reports(let reports) = $0 else { return nil }
        return reports.first?.detailsJSON
      }
    },
    Route(
      .get, "/api/v1/fences/{id}", "Get a fence with its version for If-Match",
      result: .json(.named("Fence"))
    ) { api, call in
      try await api.versioned(.fence, call) {
        guard case .fences(let fences) = $0 else { return nil }
        return fences.first?.json
      }
    },
    Route(
      .get, "/api/v1/directives/{id}", "Get a directive with its version for If-Match",
      result: .json(.named("Directive"))
    ) { api, call in
      try await api.versioned(.directive, call) {
        guard case .directives(let directives) = $0 else { return nil }
        return directives.first?.json(now: SystemClock.wall)
      }
    },
    Route(
      .get, "/api/v1/users/{id}", "Get a person by id or callsign", result: .json(.named("User"))
    ) { api, call in
      guard case .users(let users) = try await api.ask(.users) else { throw Problem.unexpected }
      let called = users.filter { $0.callsign == call.id }
      let prefix = IdentifierPrefix(call.id)
      let found = called.isEmpty ? users.filter { prefix?.begins($0.id) ?? false } : called
      guard found.count == 1 else {
        throw Problem(.notFound, "\(found.count) people have the callsign \(call.id.prefix(60))")
      }
      return .ok(found[0].json)
    },
  ]

  /// The version is read first: a concurrent write makes it outdated, which the next conditional
  /// write detects.
  private func versioned(
    _ kind: EntityKind, _ call: Call, _ json: (Reply) -> JSON?
  ) async throws -> Answer {
    let command: Command =
      switch kind {
      case .fence: .fence(call.id)
      case .directive: .directive(call.id)
      default: .report(call.id)
      }
    let version = try await node.version(of: kind, named: call.id)
    guard let found = json(try await ask(command)) else {
      throw Problem(.notFound, "no \(kind) \(call.id.prefix(40)) here")
    }
    var answer = Answer.ok(found)
    answer.headers[.eTag] = "\"\(version)\""
    return answer
  }

  // MARK: Positions

  private static let here = [
    Route.Parameter(name: "lat", shape: .latitude, isRequired: true, about: "In degrees."),
    Route.Parameter(name: "lon", shape: .longitude, isRequired: true, about: "In degrees."),
  ]

  private static let places: [Route] = [
    Route(
      .get, "/api/v1/point-in-fences", "List active fences around a position", parameters: here,
      result: .json(.open([.must("items", .list(.named("Fence"), most: Int(Rows.mostPerPage)))]))
    ) { api, call in
      guard let latitude = call.queryNumber("lat"), let longitude = call.queryNumber("lon"),
        let place = Coordinate(latitude: latitude, longitude: longitude)
      else { throw Problem(.badRequest, "the coordinates are out of range") }
      let fences = try await api.node.fences(around: place)
      return .ok(.object(["items": .array(fences.map(\.json))]))
    },
    Route(
      .get, "/api/v1/positions", "List the last positions of all people",
      result: .json(
        .open([.must("items", .list(.named("Position"), most: Int(Rows.mostPerPage)))]))
    ) { api, _ in
      guard case .users(let users) = try await api.ask(.users) else { throw Problem.unexpected }
      return .ok(.object(["items": .array(users.compactMap(\.positionJSON))]))
    },
    Route(
      .get, "/api/v1/tracks/{id}", "Get a person's track, by time",
      parameters: [paging[0]], result: .json(.named("Track"))
    ) { api, call in
      let limit = Int(call.queryInteger("limit") ?? Rows.page)
      let fixes = try await api.node.track(of: call.id, limit: limit)
      return .ok(.object(["items": .array(fixes.map(\.json))]))
    },
  ]

  // MARK: State

  private static let state: [Route] = [
    Route(.get, "/api/v1/status", "Get the status of this node", result: .json(.named("Status"))) {
      api, _ in
      Answer(.ok, text: try await api.status().text, type: "application/json")
    },
    Route(
      .get, "/api/v1/peers", "List the peers of this node",
      result: .json(.open([.must("items", .list(.named("Peer"), most: Limits.peers))]))
    ) { api, _ in
      let peers = try await api.status().summary.peers
      return .ok(.object(["items": .array(peers.map(\.json))]))
    },
    Route(
      .get, "/api/v1/mesh",
      "Get the mesh topology: this node's links, and those last reported by others",
      result: .json(
        .open([.must("items", .list(.named("Link"), most: Limits.peers * Limits.neighbours))]))
    ) { api, _ in
      guard case .mesh(let mesh) = try await api.ask(.mesh) else { throw Problem.unexpected }
      let now = SystemClock.wall
      return .ok(.object(["items": .array(mesh.links.map { $0.json(now: now) })]))
    },
    Route(
      .get, "/api/v1/delivery", "List the delivery status of reports",
      result: .json(
        .open([.must("items", .list(.named("Delivery"), most: Int(Rows.mostPerPage)))]))
    ) { api, _ in
      guard case .reports(let reports) = try await api.ask(.reports) else {
        throw Problem.unexpected
      }
      return .ok(.object(["items": .array(reports.map(\.deliveryJSON))]))
    },
    Route(
      .get, "/api/v1/changes", "Get the change counts of all data sets",
      result: .json(.named("Counts"))
    ) { api, _ in .ok(api.node.changeCounts.json) },
    Route(.get, "/healthz", "Check that the node runs", result: .json(.named("Health"))) { _, _ in
      .ok(.object(["status": .string("ok")]))
    },
    Route(
      .get, "/readyz", "Check that the node can answer", result: .json(.named("Health"))
    ) { api, _ in
      _ = try await api.ask(.changes)
      _ = try await api.node.fences(around: Coordinate.origin)
      if let fault = Readiness.fault(freeBytes: try await api.status().summary.diskFreeBytes) {
        throw Problem(.serviceUnavailable, fault)
      }
      return .ok(.object(["status": .string("ready")]))
    },
    Route(
      .get, "/metrics", "Get metrics for Prometheus",
      result: .other(type: "text/plain; version=0.0.4")
    ) { api, _ in
      Answer(
        .ok, text: try await Metrics.text(of: api),
        type: "text/plain; version=0.0.4; charset=utf-8")
    },
  ]
}

extension UserSummary {
  fileprivate var positionJSON: JSON? {
    guard let fix else { return nil }
    return fix.json.adding([
      "id": .id(id), "callsign": .string(callsign), "reportedAt": .known(reportedAt, JSON.time),
      "fixAgeSeconds": .known(fixAgeSeconds, JSON.integer),
    ])
  }
}

extension Fix {
  fileprivate var json: JSON {
    JSON.object([
      "accuracyMetres": .metres(decimetres: accuracyDecimetres), "sampleTime": .time(sampleTime),
    ]).adding(JSON.place(position))
  }
}

extension ReportSummary {
  fileprivate var deliveryJSON: JSON {
    delivery.json.adding(["id": .id(id)])
  }
}

extension ChangeCounts {
  var json: JSON {
    .object(
      Dictionary(
        uniqueKeysWithValues: Dataset.allCases.map { ($0.name, JSON.unsigned(self[$0])) }))
  }
}

extension Coordinate {
  fileprivate static var origin: Coordinate {
    guard let origin = Coordinate(latitudeE7: 0, longitudeE7: 0) else {
      preconditionFailure("0, 0 is a place")
    }
    return origin
  }
}
