internal import MusterInterchange
internal import MusterModel
internal import MusterNode
internal import MusterTransport

/// Alerts belong to one node and are in no log: a webhook receives how the active alerts differ
/// from those last posted. Therefore nothing accumulates while a receiver is unreachable, and an
/// alert that was raised and cleared in the meantime is not posted: it needs no action any more.
extension WebhookSender {
  /// The alerts of danger that the receiver does not know.
  func unpostedDangers(of webhook: Webhook) async -> Set<AlertID> {
    guard webhook.rules.alerts, let known = store.entry(webhook.name)?.place.alerts else {
      return []
    }
    do {
      let raised = try await node.postedAlerts().filter { $0.level == .danger }
      return Set(raised.map(\.id)).subtracting(known.keys)
    } catch {
      logger.debug("webhook \(webhook.name): \(error)")
      return []
    }
  }

  func sendAlerts(_ webhook: Webhook, _ line: WebhookLine) async throws -> Step {
    guard webhook.rules.alerts, var place = store.entry(webhook.name)?.place else { return .idle }
    let (operation, source) = (try await node.operation(), try await node.device())
    let standing = try await node.postedAlerts()
    for change in place.quieten(to: standing) {
      let event = WebhookEvent(
        change, operation: operation, source: source, now: SystemClock.wall)
      if let reason = await send(event, webhook, line) { return .again(reason) }
      place.note(change)
      store.move(webhook.name, to: place)
      guard !Task.isCancelled, store.entry(webhook.name)?.webhook == webhook else { return .idle }
    }
    return .idle
  }
}

extension Node {
  /// Returns the active alerts that webhooks receive. An unverified call is for command to judge
  /// first: it leaves the mesh only as a MAYDAY.
  func postedAlerts() throws -> [Alert] {
    try raisedAlerts().filter { $0.id.kind != .unverifiedCall }
  }
}

extension WebhookPosition {
  /// Returns the changes to post, after which the receiver knows the active alerts. A lower level
  /// is recorded without a post.
  ///
  /// An alert that is already acknowledged is posted twice: as raised, and as acknowledged. A
  /// receiver that took the first post before this node stored that it did ignores the repetition,
  /// which has the same id.
  mutating func quieten(to standing: [Alert]) -> [AlertChange] {
    let changes = AlertChange.between(Array(alerts.values), and: standing)
    for alert in standing {
      if let sent = alerts[alert.id], alert.level < sent.level {
        alerts[alert.id]?.level = alert.level
      }
    }
    return changes.flatMap { change -> [AlertChange] in
      guard case .raised(var alert) = change, alert.acknowledgement != nil else { return [change] }
      let acknowledged = AlertChange.acknowledged(alert)
      alert.acknowledgement = nil
      return [.raised(alert), acknowledged]
    }
  }

  mutating func note(_ change: AlertChange) {
    switch change {
    case .raised(let alert), .acknowledged(let alert): alerts[alert.id] = alert
    case .cleared(let alert): alerts[alert.id] = nil
    }
  }
}
