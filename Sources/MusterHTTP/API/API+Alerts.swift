internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// Alerts of this node: what stands, and who has taken notice of it.
extension API {
  static let alerts: [Route] = [
    Route(
      .get, "/api/v1/alerts", "What this node's people should know now",
      result: .json(.open([.must("items", .list(.named("Alert"), most: Limits.alerts))]))
    ) { api, _ in
      guard case .alerts(let alerts) = try await api.ask(.alerts) else { throw Problem.unexpected }
      return .ok(.object(["items": .array(alerts.map(\.json))]))
    },
    Route(
      .post, "/api/v1/alerts/{id}/acknowledge",
      "Says that somebody at this node has taken notice of an alert, which sounds no more",
      body: .object([.may("name", .line)], least: 0), result: .done
    ) { api, call in
      // Whoever has logged in speaks for nobody else.
      let name = call.person?.name ?? call.text("name")
      let user = call.person?.user.map { "\($0)" }
      return try await api.done(.acknowledgeAlert(call.id, by: name, user: user))
    },
  ]
}
