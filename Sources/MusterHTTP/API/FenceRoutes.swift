internal import Foundation
internal import Hummingbird
internal import MusterInterchange
internal import MusterLocation
internal import MusterModel
internal import MusterNode
internal import NIOCore

/// Writes of fences.
enum FenceRoutes {
  static let routes: [Route] = [
    Route(
      .post, "/api/v1/fences", "Add a fence: a circle, or an outline as GeoJSON", rights: .command,
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
        return try await api.naming { try await draw(draft, ordering: order, at: api) }
      }
      guard case .created(let id) = try await api.ask(.addFence(draft)) else {
        throw Problem.unexpected
      }
      if !isActive { _ = try await api.ask(.setFenceActive("\(id)", false)) }
      return .created("\(id)", below: "/api/v1/fences")
    },
    Route(
      .post, "/api/v1/fences/drafts",
      "Read the fences of a file, without adding them: the body is the file", rights: .zoneFile,
      parameters: [
        Route.Parameter(
          name: "file", shape: .text, isRequired: false,
          about: "The name of the file, for fences without one."),
        Route.Parameter(
          name: "radius", shape: .number(0.01...Double(Limits.circleRadiusCentimetres) / 100),
          isRequired: false, about: "The radius in metres of points that state none."),
      ],
      takesFile: true, result: .other(type: "application/geo+json")
    ) { _, call in try await drafts(in: call) },
    Route(
      .patch, "/api/v1/fences/{id}", "Change a fence; omitted members stay unchanged",
      rights: .command,
      body: .object(
        [
          .may("_version", .count), .may("name", .line),
          .may("kind", .choice(FenceKind.allCases.map(\.name))),
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
      .post, "/api/v1/fences/{id}/activate", "Activate a fence", rights: .command,
      parameters: [Call.seenVersion], result: .done, takesVersion: true
    ) { api, call in
      try await api.done(.setFenceActive(call.id, true), on: .fence, call)
    },
    Route(
      .post, "/api/v1/fences/{id}/deactivate", "Deactivate a fence: it is only drawn",
      rights: .command,
      parameters: [Call.seenVersion], result: .done, takesVersion: true
    ) { api, call in
      try await api.done(.setFenceActive(call.id, false), on: .fence, call)
    },
    Route(
      .delete, "/api/v1/fences/{id}", "Delete a fence permanently", rights: .command,
      parameters: [Call.seenVersion], result: .done, takesVersion: true
    ) { api, call in
      try await api.done(.deleteFence(call.id), on: .fence, call)
    },
  ]

  private static func drafts(in call: Call) async throws -> Answer {
    let data = Data(
      try await call.file(atMost: RequestLimits.zoneFileBytes, "use `muster zone import`"))
    var radius: Double?
    if case .number(let digits)? = call.query["radius"] { radius = Double(digits) }
    let name = call.query["file"]?.word ?? ""
    do {
      let file = try await ReadExecutor.perform { [radius] in
        try ZoneFile(data, named: name, radiusMetres: radius)
      }
      return Answer(.ok, text: file.json.text, type: "application/geo+json")
    } catch let fault as OverlayFault {
      throw Problem(.unprocessableContent, "\(fault)")
    }
  }

  /// The order that accompanies a new assembly zone; for everyone if it names no audience.
  private static let zoneOrder = Shape.object(
    [
      .may("kind", .choice(["muster", "evacuate"])), .may("text", .paragraphs),
      .may("role", .choice(Role.allCases.map(\.name))), .may("team", .line),
      .may("users", .list(.text, most: 256)),
      .may("deadlineSeconds", .integer(1...Int64(Limits.spanSeconds))),
    ], least: 0)

  private static func draw(
    _ draft: FenceDraft, ordering order: JSON, at api: API
  ) async throws -> Answer {
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
    guard
      case .ordered(let zone, _) = try await api.ask(
        .addAssemblyZone(draft, order: directive))
    else { throw Problem.unexpected }
    return .created("\(zone)", below: "/api/v1/fences")
  }
}
