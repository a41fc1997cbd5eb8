internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// The alerts of this node, their acknowledgements, and warnings that command put aside.
enum AlertRoutes {
  static let routes: [Route] = [
    Route(
      .get, "/api/v1/alerts", "List the active alerts of this node", rights: .alarmRead,
      result: .json(.open([.must("items", .list(.named("Alert"), most: Limits.alerts))]))
    ) { api, _ in
      guard case .alerts(let alerts) = try await api.ask(.alerts) else { throw Problem.unexpected }
      return .ok(.object(["items": .array(alerts.map(\.json))]))
    },
    Route(
      .post, "/api/v1/alerts/{id}/acknowledge",
      "Acknowledge an alert, which ends its sound", rights: .urgentCommand,
      body: .object(
        [.may("name", .line), .may("person", .flag), .may("answer", .paragraphs)], least: 0),
      result: .done
    ) { api, call in
      // A login acknowledges only in its own name.
      let name = call.person?.name ?? call.text("name")
      let user = call.person?.user.map { "\($0)" }
      // A request with the token of this machine is a program's, unless it states the act of a
      // person, as the page does (decision 0097).
      let isByProgram = call.person == nil && call.flag("person") != true
      let command =
        call.text("answer").map {
          Command.answerCall(call.id, text: $0, by: name, user: user, isByProgram: isByProgram)
        } ?? .acknowledgeAlert(call.id, by: name, user: user, isByProgram: isByProgram)
      return try await api.done(command)
    },
    Route(
      .post, "/api/v1/alerts/{id}/shelve",
      "As command, put a warning aside at this node for at most 60 minutes", rights: .command,
      body: .object(
        [
          .may(
            "minutes",
            .integer(
              Int64(
                AlertShelving.minutes.lowerBound)...Int64(AlertShelving.minutes.upperBound))),
          .must("reason", .line),
        ], least: 1),
      result: .done
    ) { api, call in
      try await api.done(
        .shelveAlert(
          call.id,
          ShelvingOrder(
            minutes: call.integer("minutes").map(Int.init(clamping:)) ?? AlertShelving.usualMinutes,
            reason: call.text("reason") ?? "", name: call.person?.name)))
    },
    Route(
      .delete, "/api/v1/alerts/{id}/shelve", "As command, take back that a warning is shelved",
      rights: .command, result: .done
    ) { api, call in
      try await api.done(.shelveAlert(call.id, nil))
    },
  ]
}
