public import Logging
public import MusterAmazon
internal import MusterInterchange
internal import MusterModel
public import MusterNode
public import MusterTransport
public import ServiceLifecycle

/// Posts events to webhooks while the node runs: to each webhook at least once, those of one author
/// in order, and independently of the other webhooks.
///
///     log ── from its position ──▶ rules ──▶ one request at a time ──▶ accepted: next event
///                                                unreachable, busy ──▶ retried with back-off
///                                          rejected, or busy for long ──▶ set aside
///
/// No event is queued in memory: the node's log is the queue, and a webhook's position in it is
/// stored after delivery. If that position is lost or outdated, some events are posted again, with
/// the same ids. A receiver that hangs or sends endlessly costs half a minute and one connection.
public struct WebhookSender: Service {
  /// Busy responses until an event is set aside: several minutes.
  static let mostAttempts = 10
  /// The least time between two looks for alerts in a pause.
  private static let look = Duration.seconds(1)

  let node: Node
  let store: WebhookStore
  /// The devices that programs registered by Cognito Sync.
  private let devices: SyncDevices?
  private let proxy: UplinkProxy?
  /// The pauses after failed attempts.
  private let backoff: Backoff
  /// After how long without a delivery a webhook has stopped.
  private let stallLimit: Duration
  private let random: @Sendable () -> UInt64
  let logger: Logger

  /// - Parameters:
  ///   - devices: those that programs registered by Cognito Sync; nil if that is disabled.
  ///   - proxy: the HTTP proxy for webhooks; nil for none.
  ///   - random: for the pauses between attempts.
  public init(
    node: Node, store: WebhookStore, devices: SyncDevices?, proxy: UplinkProxy?, logger: Logger,
    random: @escaping @Sendable () -> UInt64
  ) {
    self.init(
      node: node, store: store, devices: devices, proxy: proxy,
      backoff: Backoff(first: .seconds(1), longest: .seconds(300)), logger: logger, random: random)
  }

  init(
    node: Node, store: WebhookStore, devices: SyncDevices? = nil, proxy: UplinkProxy?,
    backoff: Backoff, stallLimit: Duration = WebhookStall.limit, logger: Logger,
    random: @escaping @Sendable () -> UInt64
  ) {
    self.node = node
    self.store = store
    self.devices = devices
    self.proxy = proxy
    self.backoff = backoff
    self.stallLimit = stallLimit
    self.random = random
    self.logger = logger
  }

  /// Returns after a graceful shutdown.
  public func run() async throws {
    await cancelWhenGracefulShutdown {
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          for await _ in await node.changes() { store.ringAll() }
        }
        group.addTask { await reportStalls() }
        var newest = 0
        for await _ in store.changes() {
          for entry in store.entries.sorted(by: { $0.serial < $1.serial })
          where entry.serial > newest {
            newest = entry.serial
            group.addTask { await tend(entry.webhook.name, entry.serial) }
          }
        }
        group.cancelAll()
      }
    }
    keepPlaces()
    // The node may have stopped first: a service that returns would end its group.
    try await gracefulShutdown()
  }

  private func keepPlaces() {
    guard store.hasMoved else { return }
    do {
      try store.keepPlaces()
    } catch {
      logger.error("\(error)")
    }
  }

  /// Reports webhooks that have stopped to the node, which raises alerts for them. The first report
  /// has those that had stopped before the start.
  private func reportStalls() async {
    var reported: [StoppedWebhook]?
    while !Task.isCancelled {
      do {
        let stopped = try store.stopped(after: stallLimit)
        if stopped != reported {
          await node.reportStopped(stopped)
          keepPlaces()
        }
        reported = stopped
      } catch {
        logger.error("\(error)")
      }
      do { try await Task.sleep(for: min(Self.look, stallLimit)) } catch { return }
    }
  }

  // MARK: One webhook

  enum Step {
    /// There may be more work.
    case onward
    /// Nothing to do until something changes.
    case idle
    case again(String)
  }

  /// Serves one webhook until it is removed.
  private func tend(_ name: String, _ serial: Int) async {
    let (rings, bell) = store.addBell(serial)
    defer { store.removeBell(serial) }
    var waiter = rings.makeAsyncIterator()
    var backoff = backoff
    var delivery = Delivery(turns: CrossingTurns(from: .beginning))
    while !Task.isCancelled, let entry = store.entry(name), entry.serial == serial {
      let known = store.changeCount
      let trouble = await work(on: entry.webhook, &delivery)
      keepPlaces()
      var end: ContinuousClock.Instant?
      if let trouble {
        // A delivery clears the trouble of the attempts before it.
        if store.entry(name)?.trouble == nil { backoff.reset() }
        store.noteWait(trouble, of: name)
        end = .now + backoff.next(random: random())
      } else {
        backoff.reset()
        store.noteIdle(name)
      }
      guard await pause(of: entry.webhook, until: end, at: known, &waiter, bell) else { return }
    }
  }

  /// Waits for possible work. A pause after a failure ends early if a user changes something, or
  /// once for each alert of danger that is raised meanwhile. Returns false when the webhook ends.
  private func pause(
    of webhook: Webhook, until end: ContinuousClock.Instant?, at known: Int,
    _ waiter: inout AsyncStream<Void>.Iterator, _ bell: AsyncStream<Void>.Continuation
  ) async -> Bool {
    let tried = await unpostedDangers(of: webhook)
    while true {
      let isRung = await withTaskGroup(of: Void.self) { group in
        if let end {
          group.addTask {
            do { try await Task.sleep(until: end, clock: .continuous) } catch { return }
            bell.yield()
          }
        }
        defer { group.cancelAll() }
        return await waiter.next() != nil
      }
      guard isRung else { return false }
      guard let end, .now < end, store.changeCount == known else { return true }
      guard await unpostedDangers(of: webhook).isSubset(of: tried) else { return true }
      // Data may change a thousand times a second. What rings meanwhile is not lost.
      do { try await Task.sleep(until: min(end, .now + Self.look), clock: .continuous) } catch {
        return false
      }
    }
  }

  /// Posts events until none are left, a user changes the webhook, or an attempt fails. Returns the
  /// reason of a failure.
  private func work(on webhook: Webhook, _ delivery: inout Delivery) async -> String? {
    let line = WebhookLine(to: webhook.address, secret: webhook.secret, proxy: proxy)
    var trouble: String?
    working: while !Task.isCancelled, store.entry(webhook.name)?.webhook == webhook {
      do {
        switch try await step(webhook, line, &delivery) {
        case .onward: keepPlaces()
        case .idle: break working
        case .again(let reason):
          trouble = reason
          break working
        }
      } catch {
        trouble = "\(error)"
        break
      }
    }
    do {
      try await line.close()
    } catch {
      logger.debug("a webhook's connection: \(error)")
    }
    return trouble
  }

  /// Alerts come first: they are few, and one may be a call for help.
  private func step(
    _ webhook: Webhook, _ line: WebhookLine, _ delivery: inout Delivery
  ) async throws -> Step {
    guard let entry = store.entry(webhook.name) else { return .idle }
    if let reason = try store.pause(of: webhook.name) { return .again(reason) }
    guard let place = try await settled(entry.place, of: webhook.name) else { return .onward }
    switch try await sendAlerts(webhook, line, &delivery) {
    case .idle: break
    case let step: return step
    }
    if let due = entry.failed.first(where: \.isDue) {
      return try await retry(due, webhook, line)
    }
    switch try await sendCrossings(from: place, webhook, line, &delivery) {
    case .idle: return try await sendCounts(webhook, line)
    case let step: return step
    }
  }

  /// Returns nil after a reset to the start, because the database was rebuilt.
  private func settled(
    _ place: WebhookPosition, of name: String
  ) async throws -> WebhookPosition? {
    guard let newest = place.newest else { return place }
    let there = try await crossings(after: newest.arrival - 1, limit: 1).first
    // A withdrawn crossing leaves a gap, with later numbers behind it or none. Only after
    // renumbering does another crossing have this number, or is the newest number lower.
    let isSame =
      if let there { there.arrival != newest.arrival || there.id == newest.crossing } else {
        try await node.newestArrival() >= newest.arrival
      }
    if isSame { return place }
    logger.warning("webhook \(name) receives all events again: the database was rebuilt")
    store.move(
      name,
      to: WebhookPosition(arrival: 0, counts: place.counts, alerts: place.alerts))
    return nil
  }

  private func retry(
    _ failed: FailedDelivery, _ webhook: Webhook, _ line: WebhookLine
  ) async throws -> Step {
    let found = try await crossings(after: failed.arrival - 1, limit: 1).first
    guard let found, found.id == failed.crossing else {
      // Its author was revoked, or the database was rebuilt, and then all events are posted again.
      try store.settle(failed.crossing, of: webhook.name)
      return .onward
    }
    switch try await post(found, line) {
    case .taken:
      store.noteDelivery(of: webhook.name)
      try store.settle(failed.crossing, of: webhook.name)
      return .onward
    case .unreachable(let reason): return .again(reason)
    case .busy(let reason), .refused(let reason):
      var again = failed
      (again.reason, again.attempts) = (reason, failed.attempts + 1)
      (again.failedAt, again.isDue) = (SystemClock.wall, false)
      _ = try store.fail(again, of: webhook.name)
      return .onward
    }
  }

  /// Posts only the newest count of a data set, which includes all earlier changes. Of records, it
  /// posts those of each data set that changed.
  private func sendCounts(_ webhook: Webhook, _ line: WebhookLine) async throws -> Step {
    for dataset in Dataset.allCases where webhook.rules.datasets.contains(dataset) {
      guard var place = store.entry(webhook.name)?.place else { return .idle }
      let (known, count) = (place.counts[dataset] ?? 0, node.changeCounts[dataset])
      guard count != known else { continue }
      let source = try await node.device()
      let notice = try await Notice(
        of: dataset, since: known, until: count, from: "\(source)", at: node)
      for event in try events(
        notice, to: webhook, operation: try await operation(), source: source)
      {
        if let reason = await send(event, webhook, line) { return .again(reason) }
      }
      place.counts[dataset] = count
      store.move(webhook.name, to: place)
    }
    return .idle
  }

  /// A webhook that is named as the token of a device receives what the device follows.
  private func events(
    _ notice: Notice, to webhook: Webhook, operation: OperationID, source: DeviceID
  ) throws -> [WebhookEvent] {
    let now = SystemClock.wall
    guard notice.dataset == .records else {
      return [try WebhookEvent(notice, operation: operation, source: source, now: now)]
    }
    let followed = devices?.datasets(ofToken: webhook.name)
    return try notice.pushes.filter { followed?.contains($0.dataset) ?? true }.map {
      try WebhookEvent($0, operation: operation, source: source, now: now)
    }
  }

  /// Posts an event that is not set aside if it is rejected, since the next one supersedes it.
  /// Returns the reason for a retry; nil once it is done.
  func send(_ event: WebhookEvent, _ webhook: Webhook, _ line: WebhookLine) async -> String? {
    switch await line.post(
      id: event.id, type: WebhookEvent.type, body: event.body, now: SystemClock.wall)
    {
    case .unreachable(let reason), .busy(let reason): return reason
    case .refused(let reason):
      logger.warning("webhook \(webhook.name) rejected \(event.id): \(reason)")
      store.noteRejection(reason, of: webhook.name)
    case .taken: store.noteDelivery(of: webhook.name)
    }
    return nil
  }

  // MARK: The node

  func post(
    _ crossing: CrossingSummary, _ line: WebhookLine
  ) async throws -> WebhookLine.Outcome {
    let event = WebhookEvent(
      crossing, operation: try await operation(), source: try await node.device())
    return await line.post(
      id: event.id, type: WebhookEvent.type, body: event.body, now: SystemClock.wall)
  }

  private func operation() async throws -> OperationID { try await node.operation() }

  private func crossings(after arrival: Int64, limit: Int) async throws -> [CrossingSummary] {
    switch await node.perform(.events(after: arrival, limit: limit)) {
    case .events(let events): return events
    case .refused(let reason, _): throw WebhookFault(reason)
    default: throw WebhookFault("the node sent an unexpected reply")
    }
  }
}

extension WebhookPosition {
  /// Returns the position from which a webhook receives only new events.
  static func now(of node: Node) async throws -> WebhookPosition {
    let counts = node.changeCounts
    let alerts = try await node.postedAlerts()
    return WebhookPosition(
      arrival: try await node.newestArrival(),
      counts: Dictionary(uniqueKeysWithValues: Dataset.allCases.map { ($0, counts[$0]) }),
      alerts: Dictionary(uniqueKeysWithValues: alerts.map { ($0.id, $0) }))
  }
}
