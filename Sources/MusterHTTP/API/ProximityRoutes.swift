internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// The proximity log of this node, and exposures: for the node's own user only. A login is refused:
/// the log is about the person of this laptop.
enum ProximityRoutes {
  static let routes: [Route] = [overview] + logRoutes + consentRoutes + reviewRoutes

  private static let elsewhere = "the proximity log is read on the laptop itself: muster proximity"

  /// The most devices and sessions of the overview.
  private static let shown = 50

  private static let state = Shape.choice(["unknown", "on", "off"])

  private static let status = Shape.open([
    .must("on", .flag), .must("scanning", state), .must("advertising", state),
    .must("source", .text),
    .must("counted", .integer(0...Int64.max)), .must("refused", .anything),
    .must("intervals", .integer(0...100_000)), .must("days", .integer(1...14)),
    .must("adapter", .text), .must("problem", .text),
    .must("sendsSessions", .flag), .must("sharesCount", .flag), .must("showsName", .flag),
    .must("report", .anything),
    .must("notices", .list(.anything, most: Limits.exposureNotices)),
  ])

  private static let sent = Shape.open([
    .must("recipients", .integer(1...Int64(Limits.noteRecipients)))
  ])

  private static let overview = Route(
    .get, "/api/v1/proximity/overview",
    "Get the state, the newest devices and sessions, the own identifier, and command's review",
    rights: .laptop(.read, elsewhere),
    result: .json(
      .open([
        .must("state", status), .must("devices", .list(.anything, most: shown)),
        .must("sessions", .list(.anything, most: shown)), .must("own", .anything),
        .must("review", .anything),
      ]))
  ) { api, call in
    guard case .devices(let devices, _) = try await ask(.devices(hours: 24), of: api),
      case .sessions(let sessions) = try await ask(.sessions, of: api),
      case .own(let own) = try await ask(.own, of: api)
    else { throw Problem.unexpected }
    var review = JSON.null
    if try await api.node.role() == .command {
      guard case .review(let found) = try await ask(.review, of: api) else {
        throw Problem.unexpected
      }
      review = found.json
    }
    return .ok(
      .object([
        "state": try await stateJSON(of: api),
        "devices": .array(devices.prefix(shown).map(\.json)),
        "sessions": .array(sessions.prefix(shown).map(\.json)),
        "own": own.json, "review": review,
      ]))
  }

  private static let logRoutes: [Route] = [
    Route(
      .get, "/api/v1/proximity",
      "Get the state of the proximity log, and the exposure notices about you",
      rights: .laptop(.read, elsewhere),
      result: .json(status)
    ) { api, call in try await state(of: api) },
    Route(
      .put, "/api/v1/proximity",
      "Record devices nearby or not, show your name, agree to send sessions or to be counted",
      rights: .laptop(.write, elsewhere),
      body: .object(
        [
          .may("on", .flag), .may("sendsSessions", .flag), .may("sharesCount", .flag),
          .may("showsName", .flag), .may("days", .integer(1...14)),
        ], least: 1),
      result: .json(status)
    ) { api, call in
      if let isOn = call.flag("on") { _ = try await ask(.setOn(isOn), of: api) }
      if let days = call.integer("days") {
        _ = try await ask(.keep(days: Int(days)), of: api)
      }
      if let isShown = call.flag("showsName") {
        _ = try await ask(.showName(isShown), of: api)
      }
      for (name, count) in [("sendsSessions", false), ("sharesCount", true)] {
        guard let isGiven = call.flag(name) else { continue }
        _ = try await ask(.consent(isGiven, count: count), of: api)
      }
      return try await state(of: api)
    },
    Route(
      .get, "/api/v1/proximity/devices", "List the devices that were near, newest first",
      rights: .laptop(.read, elsewhere),
      parameters: [
        Route.Parameter(
          name: "hours", shape: .integer(1...336), isRequired: false,
          about: "The hours before now; 24 by default.")
      ],
      result: .json(
        .open([.must("items", .list(.anything, most: 5000)), .must("isTruncated", .flag)]))
    ) { api, call in
      let hours = Int(call.queryInteger("hours") ?? 24)
      guard
        case .devices(let devices, let isTruncated) = try await ask(
          .devices(hours: hours), of: api)
      else { throw Problem.unexpected }
      return .ok(
        .object([
          "items": .array(devices.map(\.json)), "isTruncated": .bool(isTruncated),
        ]))
    },
    Route(
      .get, "/api/v1/proximity/sessions", "List the spans of time with devices nearby",
      rights: .laptop(.read, elsewhere),
      result: .json(.open([.must("items", .list(.anything, most: 2100))]))
    ) { api, call in
      guard case .sessions(let sessions) = try await ask(.sessions, of: api) else {
        throw Problem.unexpected
      }
      return .ok(.object(["items": .array(sessions.map(\.json))]))
    },
    Route(
      .get, "/api/v1/proximity/own", "Get the identifier to advertise now",
      rights: .laptop(.read, elsewhere),
      result: .json(
        .open([
          .must("identifier", .text), .must("serviceData", .text), .must("name", .text),
          .must("changesAt", .time),
          .must("days", .list(.time, most: 60)),
        ]))
    ) { api, call in
      guard case .own(let own) = try await ask(.own, of: api) else {
        throw Problem.unexpected
      }
      return .ok(own.json)
    },
  ]

  private static let consentRoutes: [Route] = [
    Route(
      .post, "/api/v1/proximity/send", "Seal the sessions to command and send them",
      rights: .laptop(.write, elsewhere),
      result: .json(sent)
    ) { api, call in try await answer(to: .send, of: api) },
    Route(
      .put, "/api/v1/proximity/report",
      "Report an exposure: seal your daily keys of ended days to command",
      rights: .laptop(.write, elsewhere),
      body: .object(
        [.must("kind", .choice(ExposureKind.allCases.map(\.name))), .may("text", .paragraphs)],
        least: 1),
      result: .json(sent)
    ) { api, call in
      guard let kind = call.text("kind").flatMap({ ExposureKind(name: $0) }) else {
        throw Problem(.badRequest, "there is no such kind of exposure", at: "/kind")
      }
      return try await answer(
        to: .reportPositive(kind, text: call.text("text") ?? ""), of: api)
    },
    Route(
      .delete, "/api/v1/proximity/report", "Withdraw your report",
      rights: .laptop(.write, elsewhere), result: .json(sent)
    ) { api, call in try await answer(to: .withdrawReport, of: api) },
  ]

  private static let reviewRoutes: [Route] = [
    Route(
      .get, "/api/v1/proximity/review", "As command, list reports, notices and sent sessions",
      rights: .laptop(.read, elsewhere),
      result: .json(
        .open([
          .must("items", .list(.anything, most: 100_000)),
          .must("senders", .list(.anything, most: 100_000)),
        ]))
    ) { api, call in
      guard case .review(let review) = try await ask(.review, of: api) else {
        throw Problem.unexpected
      }
      return .ok(review.json)
    },
    Route(
      .put, "/api/v1/proximity/notices/{id}",
      "As command, publish a report without a name, under your own text",
      rights: .laptop(.write, elsewhere),
      body: .object([.may("text", .paragraphs)], least: 0), result: .done
    ) { api, call in
      _ = try await ask(.publish(call.id, text: call.text("text") ?? ""), of: api)
      return Answer(.noContent)
    },
    Route(
      .delete, "/api/v1/proximity/notices/{id}", "As command, withdraw a notice",
      rights: .laptop(.write, elsewhere), result: .done
    ) { api, call in
      _ = try await ask(.withdrawNotice(call.id), of: api)
      return Answer(.noContent)
    },
  ]

  private static func ask(
    _ command: ProximityCommand, of api: API
  ) async throws -> ProximityReply {
    guard case .proximity(let reply) = try await api.ask(.proximity(command)) else {
      throw Problem.unexpected
    }
    return reply
  }

  private static func state(of api: API) async throws -> Answer {
    .ok(try await stateJSON(of: api))
  }

  private static func stateJSON(of api: API) async throws -> JSON {
    guard case .status(let status) = try await ask(.status, of: api),
      case .notices(let notices) = try await ask(.notices, of: api)
    else { throw Problem.unexpected }
    var members = status.json.members ?? [:]
    members["notices"] = .array(notices.map(\.json))
    return .object(members)
  }

  private static func answer(
    to command: ProximityCommand, of api: API
  ) async throws -> Answer {
    guard case .sent(let recipients) = try await ask(command, of: api) else {
      throw Problem.unexpected
    }
    return .ok(.object(["recipients": .count(recipients)]))
  }
}
