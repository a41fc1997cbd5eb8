internal import MusterModel
internal import MusterNode
internal import MusterTransport

/// Crossings are in the node's log: a webhook receives all that its rules choose, by turns of their
/// authors (`CrossingTurns`).
extension WebhookSender {
  /// What is in memory only while a webhook is served.
  struct Delivery {
    var turns: CrossingTurns
    /// Busy responses to the same crossing.
    var attempts = 0
    /// Busy responses to each alert event that waits, by its id.
    var alertAttempts: [String: Int] = [:]
  }

  /// Alerts that are raised meanwhile are posted after this time at the latest.
  private static let slice = Duration.milliseconds(250)
  private static let page = 64
  private static let foundAtOnce = 4096

  func sendCrossings(
    from place: WebhookPosition, _ webhook: Webhook, _ line: WebhookLine,
    _ delivery: inout Delivery
  ) async throws -> Step {
    if !delivery.turns.continues(place) {
      (delivery.turns, delivery.attempts) = (CrossingTurns(from: place), 0)
    }
    let end = ContinuousClock.now + Self.slice
    repeat {
      let found = try await node.crossingAuthors(
        after: delivery.turns.found, limit: Self.foundAtOnce)
      for crossing in found { delivery.turns.add(crossing.arrival, by: crossing.author) }
      guard let turn = delivery.turns.next() else { return .idle }
      if let step = try await send(turn, webhook, line, &delivery) { return step }
      delivery.turns.endTurn(of: turn.author)
    } while ContinuousClock.now < end
    return .onward
  }

  /// Posts one crossing of an author, or several while there is no other. Returns nil at the end of
  /// the turn.
  private func send(
    _ turn: CrossingTurns.Turn, _ webhook: Webhook, _ line: WebhookLine,
    _ delivery: inout Delivery
  ) async throws -> Step? {
    let crossings = try await node.crossings(
      after: turn.after, upTo: turn.upTo, by: turn.author, limit: Self.page)
    for crossing in crossings {
      let isChosen = webhook.rules.choose(crossing)
      if isChosen, let step = try await send(crossing, webhook, line, &delivery) { return step }
      delivery.turns.finish(turn.author, upTo: crossing.arrival)
      keep(delivery.turns, newest: crossing, of: webhook)
      // A user may have changed or removed it.
      guard !Task.isCancelled, store.entry(webhook.name)?.webhook == webhook else { return .idle }
      if isChosen, delivery.turns.hasOthers(than: turn.author) { return nil }
    }
    // The rest was withdrawn: its author was revoked.
    if crossings.isEmpty {
      delivery.turns.finish(turn.author, upTo: turn.upTo)
      keep(delivery.turns, newest: nil, of: webhook)
    }
    return nil
  }

  /// Returns nil once the crossing was accepted or set aside.
  private func send(
    _ crossing: CrossingSummary, _ webhook: Webhook, _ line: WebhookLine,
    _ delivery: inout Delivery
  ) async throws -> Step? {
    switch try await post(crossing, line) {
    case .unreachable(let reason): return .again(reason)
    case .busy(let reason) where delivery.attempts + 1 < Self.mostAttempts:
      delivery.attempts += 1
      return .again(reason)
    case .busy(let reason), .refused(let reason):
      guard try putAside(crossing, reason, delivery.attempts + 1, webhook.name) else {
        return .again("\(WebhookStore.mostFailed) events failed: retry or remove them")
      }
    case .taken: store.noteDelivery(of: webhook.name)
    }
    delivery.attempts = 0
    return nil
  }

  private func keep(_ turns: CrossingTurns, newest: CrossingSummary?, of webhook: Webhook) {
    guard var place = store.entry(webhook.name)?.place else { return }
    (place.arrival, place.ahead) = (turns.arrival, turns.ahead)
    if let newest {
      place.newest = WebhookPosition.Newest(arrival: newest.arrival, crossing: newest.id)
    }
    store.move(webhook.name, to: place)
  }

  private func putAside(
    _ crossing: CrossingSummary, _ reason: String, _ attempts: Int, _ name: String
  ) throws -> Bool {
    logger.warning("webhook \(name) rejected event \(crossing.id): \(reason)")
    store.noteRejection(reason, of: name)
    return try store.fail(
      FailedDelivery(
        arrival: crossing.arrival, crossing: crossing.id, reason: reason, attempts: attempts,
        failedAt: SystemClock.wall, isDue: false),
      of: name)
  }
}
