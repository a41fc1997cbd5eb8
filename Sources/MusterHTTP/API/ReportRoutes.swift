internal import Hummingbird
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// Writes of reports. Like every write, each replies once its change is durable; the node
/// authorizes it.
enum ReportRoutes {
  private static let details: [Shape.Member] = [
    .may("description", .paragraphs),
    .may("category", .choice(ReportCategory.allCases.map(\.name))),
    .may(
      "severity",
      .integer(Int64(Limits.severity.lowerBound)...Int64(Limits.severity.upperBound))),
    .may("lat", .latitude, with: "lon"), .may("lon", .longitude, with: "lat"),
    .may("toEvacuate", .flag),
  ]

  static let routes: [Route] = [
    Route(
      .post, "/api/v1/reports", "Add a report", rights: .addition,
      body: .object([.must("title", .line)] + details, least: 1), result: .created,
      datedText: "description"
    ) { api, call in
      let draft = ReportDraft(
        title: call.text("title") ?? "", details: call.text("description"),
        category: call.category, severity: call.severity, position: call.place,
        toEvacuate: call.flag("toEvacuate") ?? false)
      return try await api.created(
        call.login.map { .loginReport(.file(draft), login: $0) } ?? .addReport(draft),
        below: "/api/v1/reports")
    },
    Route(
      .patch, "/api/v1/reports/{id}", "Change a report; omitted members stay unchanged",
      rights: .correction,
      body: .object(
        [
          .may("_version", .count), .may("title", .line),
          .may("status", .choice(ReportStatus.allCases.map(\.name))),
        ] + details, least: 1),
      result: .done, takesVersion: true
    ) { api, call in
      let changes = ReportChanges(
        title: call.text("title"), details: call.text("description"), category: call.category,
        severity: call.severity, position: call.place, toEvacuate: call.flag("toEvacuate"),
        status: call.text("status").flatMap(ReportStatus.init(name:)))
      return try await api.done(
        call.login.map { .loginReport(.correct(call.id, changes), login: $0) }
          ?? .editReport(call.id, changes), on: .report, call)
    },
    Route(
      .delete, "/api/v1/reports/{id}", "Delete a report", rights: .correction,
      parameters: [Call.seenVersion],
      result: .done, takesVersion: true
    ) { api, call in
      try await api.done(
        call.login.map { .loginReport(.withdraw(call.id), login: $0) } ?? .deleteReport(call.id),
        on: .report, call)
    },
    Route(
      .get, "/api/v1/me/reports",
      "List the reports that you filed and may change, oldest first; for a login, its newest",
      rights: .read,
      result: .json(
        .open([.must("ids", .list(.reference, most: Int(Rows.mostPerPage)))]))
    ) { api, call in
      if let login = call.login {
        return .ok(
          .object(["ids": .array(try await api.node.reports(filedBy: login).map(JSON.id))]))
      }
      guard case .reports(let reports) = try await api.ask(.reports) else {
        throw Problem.unexpected
      }
      let user = try await api.node.user()
      let own = reports.filter { $0.owner == user }.sorted { $0.createdAt < $1.createdAt }
      return .ok(
        .object(["ids": .array(own.suffix(Int(Rows.mostPerPage)).map { JSON.id($0.id) })]))
    },
    Route(
      .post, "/api/v1/reports/{id}/confirm", "Confirm what a report shows",
      rights: .confirmation,
      parameters: [
        Route.Parameter(
          name: "content", shape: .text, isRequired: false,
          about: "Confirm only if the report still has this `content`; else 412.")
      ],
      result: .done
    ) { api, call in
      try await api.done(.confirmReport(call.id, seen: call.query["content"]?.word))
    },
    Route(
      .post, "/api/v1/reports/{id}/comments", "Add a comment to a report", rights: .addition,
      body: .object([.must("text", .remark)], least: 1), result: .done, datedText: "text"
    ) { api, call in
      let text = call.text("text") ?? ""
      guard text.contains(where: { !$0.isWhitespace }) else {
        throw Problem(.unprocessableContent, "the comment is empty: write one", at: "/text")
      }
      return try await api.done(.commentReport(call.id, text: text))
    },
  ]
}

extension Call {
  /// The login that changes only what it filed; nil for the node's own user, and for one with the
  /// rights of command.
  fileprivate var login: String? { person.flatMap { $0.speaksForItself ? $0.name : nil } }

  fileprivate var category: ReportCategory? {
    text("category").flatMap(ReportCategory.init(name:))
  }

  fileprivate var severity: UInt8? { integer("severity").flatMap { UInt8(exactly: $0) } }
}
