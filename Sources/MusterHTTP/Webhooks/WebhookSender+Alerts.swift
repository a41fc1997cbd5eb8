internal import MusterInterchange
internal import MusterModel
internal import MusterNode
internal import MusterTransport

/// Alerts belong to one node and are in no log: a webhook receives how the active alerts differ
/// from those last posted. Therefore nothing accumulates while a receiver is unreachable, and an
/// alert that was raised and cleared in the meantime is not posted: it needs no action any more.
extension WebhookSender {
  /// An alert of danger that the receiver does not know. One that is raised again has another time.
  struct UnpostedDanger: Hashable {
    let id: AlertID
    let since: Timestamp
  }

  /// After so many busy responses in one round the others wait as well.
  private static let mostBusy = 3

  /// Returns the active alerts that a webhook receives: not that it has stopped, which would wait
  /// for ever.
  private func alerts(for webhook: Webhook) async throws -> [Alert] {
    let own = AlertID(kind: .webhook, row: WebhookStall.row(of: webhook.name))
    return try await node.postedAlerts().filter { $0.id != own }
  }

  func unpostedDangers(of webhook: Webhook) async -> Set<UnpostedDanger> {
    guard webhook.rules.alerts, let known = store.entry(webhook.name)?.place.alerts else {
      return []
    }
    do {
      return Set(
        try await alerts(for: webhook).filter { alert in
          guard alert.level == .danger, let sent = known[alert.id] else {
            return alert.level == .danger
          }
          return sent.since != alert.since || sent.level < .danger
        }.map { UnpostedDanger(id: $0.id, since: $0.since) })
    } catch {
      logger.debug("webhook \(webhook.name): \(error)")
      return []
    }
  }

  /// Posts what the receiver does not know, the most urgent first. An event that it does not accept
  /// yet lets the others pass, and comes after them in the next round.
  func sendAlerts(
    _ webhook: Webhook, _ line: WebhookLine, _ delivery: inout Delivery
  ) async throws -> Step {
    guard webhook.rules.alerts, var place = store.entry(webhook.name)?.place else { return .idle }
    var busy: [AlertID: String] = [:]
    let changes = try await alertEvents(&place, alerts(for: webhook), delivery)
    for (change, event) in changes where busy[change.alert.id] == nil {
      switch await line.post(
        id: event.id, type: WebhookEvent.type, body: event.body, now: SystemClock.wall)
      {
      case .unreachable(let reason): return .again(reason)
      case .busy(let reason):
        delivery.alertAttempts[event.id, default: 0] += 1
        busy[change.alert.id] = reason
        if busy.count == Self.mostBusy { return .again(reason) }
        continue
      case .refused(let reason):
        logger.warning("webhook \(webhook.name) rejected \(event.id): \(reason)")
        store.noteRejection(reason, of: webhook.name)
      case .taken: store.noteDelivery(of: webhook.name)
      }
      place.note(change)
      store.move(webhook.name, to: place)
      guard !Task.isCancelled, store.entry(webhook.name)?.webhook == webhook else { return .idle }
    }
    delivery.alertAttempts = delivery.alertAttempts.filter { id, _ in
      changes.contains { $0.event.id == id && busy[$0.change.alert.id] != nil }
    }
    return busy.values.min().map(Step.again) ?? .idle
  }

  /// Returns the events to post: those that the receiver was not asked to take before others, in
  /// each by priority, then those with the fewest failed attempts, then in the order of every list.
  private func alertEvents(
    _ place: inout WebhookPosition, _ standing: [Alert], _ delivery: Delivery
  ) async throws -> [(change: AlertChange, event: WebhookEvent)] {
    let (operation, source) = (try await node.operation(), try await node.device())
    let events = place.quieten(to: standing).map { change in
      (
        change: change,
        event: WebhookEvent(change, operation: operation, source: source, now: SystemClock.wall)
      )
    }
    var attempts: [AlertID: Int] = [:]
    for (change, event) in events {
      attempts[change.alert.id, default: 0] += delivery.alertAttempts[event.id] ?? 0
    }
    return events.enumerated().sorted { left, right in
      let (first, second) = (left.element.change.alert, right.element.change.alert)
      let (few, many) = (attempts[first.id] ?? 0, attempts[second.id] ?? 0)
      if (few == 0) != (many == 0) { return few == 0 }
      if first.priority != second.priority { return first.priority > second.priority }
      if few != many { return few < many }
      // Of one alert the earlier change comes first.
      return first.id == second.id
        ? left.offset < right.offset : AlertPlace(first) < AlertPlace(second)
    }.map(\.element)
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
  /// is recorded without a post. Of a shelved one that the receiver does not know it receives
  /// nothing; of one that it knows, only its end, or that it is raised again.
  ///
  /// An alert that is already acknowledged is posted twice: as raised, and as acknowledged. A
  /// receiver that took the first post before this node stored that it did ignores the repetition,
  /// which has the same id.
  mutating func quieten(to standing: [Alert]) -> [AlertChange] {
    let standing = standing.filter { $0.shelving == nil || alerts[$0.id] != nil }
    let changes = AlertChange.between(Array(alerts.values), and: standing)
    for alert in standing {
      if let sent = alerts[alert.id], alert.level < sent.level {
        alerts[alert.id]?.level = alert.level
      }
    }
    return changes.flatMap { change -> [AlertChange] in
      if case .shelved = change { return [] }
      guard case .raised(var alert) = change, alert.acknowledgement != nil else { return [change] }
      let acknowledged = AlertChange.acknowledged(alert)
      alert.acknowledgement = nil
      return [.raised(alert), acknowledged]
    }
  }

  mutating func note(_ change: AlertChange) {
    switch change {
    case .raised(let alert), .acknowledged(let alert), .shelved(let alert):
      alerts[alert.id] = alert
    case .cleared(let alert): alerts[alert.id] = nil
    }
  }
}
