internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// The past as this node recorded it: everybody at an instant, and a timeline of events.
enum HistoryRoutes {
  static let routes: [Route] = [
    Route(
      .get, "/api/v1/history", "Get everybody's place and status at an instant of the past",
      rights: .dearRead,
      parameters: [
        Route.Parameter(
          name: "at", shape: .time, isRequired: true, about: "The instant, by this node's clock."),
        Route.Parameter(
          name: "view", shape: .choice(HistoryView.allCases.map(\.rawValue)), isRequired: false,
          about: "`event`, the default: what is known now about that time. `known`: what this "
            + "node showed then."),
      ],
      result: .json(.named("History"))
    ) { api, call in
      guard let at = call.query["at"]?.word.flatMap({ Timestamp(rfc3339: $0) }) else {
        throw Problem(.badRequest, "write a time as 2010-08-05T14:23:59Z", at: "at")
      }
      let view = call.query["view"]?.word.flatMap(HistoryView.init) ?? .event
      guard case .history(let picture) = try await api.ask(.history(at: at, view)) else {
        throw Problem.unexpected
      }
      return .ok(picture.json)
    },
    Route(
      .get, "/api/v1/history/events", "List the events of a range of time, by time",
      rights: .dearRead,
      parameters: [
        Route.Parameter(
          name: "from", shape: .time, isRequired: true, about: "The first instant."),
        Route.Parameter(
          name: "to", shape: .time, isRequired: false, about: "The last instant; now by default."),
        Route.Parameter(
          name: "limit", shape: .limit(most: Int64(Limits.historyEventsPerPage)),
          isRequired: false,
          about: "The page size; \(Limits.historyEventsPerPage) by default."),
        Route.Parameter(
          name: "after", shape: .text, isRequired: false,
          about: "The `next` of the previous page."),
      ],
      result: .json(
        .open([
          .must("items", .list(.named("HistoryEvent"), most: Limits.historyEventsPerPage)),
          .must("next", .nullable(.text)),
        ]))
    ) { api, call in
      guard let from = call.query["from"]?.word.flatMap({ Timestamp(rfc3339: $0) }) else {
        throw Problem(.badRequest, "write a time as 2010-08-05T14:23:59Z", at: "from")
      }
      let to = call.query["to"]?.word.flatMap { Timestamp(rfc3339: $0) } ?? SystemClock.wall
      var after: HistoryCursor?
      if let text = call.query["after"]?.word {
        guard let cursor = HistoryCursor(text) else {
          throw Problem(.badRequest, "write the `next` of the previous page", at: "after")
        }
        after = cursor
      }
      let limit = call.queryInteger("limit").map(Int.init) ?? Limits.historyEventsPerPage
      let command = Command.timeline(
        from: from, to: to, after: after, limit: limit, hidesDuress: false)
      guard case .timeline(let page) = try await api.ask(command) else { throw Problem.unexpected }
      return .ok(
        .object([
          "items": .array(page.events.map(\.json)),
          "next": .known(page.next) { .string($0.text) },
        ]))
    },
  ]
}
