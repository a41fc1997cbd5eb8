internal import Foundation
internal import MusterInterchange
internal import MusterModel
internal import MusterNode
internal import MusterTransport
internal import Synchronization

/// The webhooks of a node with their positions and failed events, in two files of the home that
/// only this user can read:
///
///     webhooks.json          targets with their secrets, start positions and failed events
///     webhooks-places.json   the current position of each; without it, events are posted again
///
/// The caller that opens it MUST hold the home's lock.
public final class WebhookStore: Sendable {
  static let most = 32
  /// The limit of one webhook. At the limit it is paused until a user intervenes.
  static let mostFailed = 1000

  struct Entry: Sendable {
    /// A new number for a webhook that is removed and added again with the same name.
    var serial = 0
    var webhook: Webhook
    /// Its start position.
    let since: WebhookPosition
    var place: WebhookPosition
    var failed: [FailedDelivery] = []
    /// The error of the last attempt; nil after a success.
    var trouble: String?
    /// Since the last delivery, if an attempt failed.
    var stall: WebhookStall?

    /// The position as stored, with the stall that was reported.
    fileprivate var storedPlace: JSON {
      guard let stall, stall.isReported else { return place.json }
      return place.json.adding(["stopped": .count(stall.rejections)])
    }
  }

  private struct State {
    var entries: [String: Entry] = [:]
    var serials = 0
    /// The number of changes by users.
    var changes = 0
    var bells: [Int: AsyncStream<Void>.Continuation] = [:]
    var watcher: AsyncStream<Void>.Continuation?
    var hasMoved = false
  }

  private let grants: LoginGrantFile
  private let targets: PrivateFile
  private let places: PrivateFile
  private let state: Mutex<State>

  /// Reads the files; throws `WebhookFault` if they are damaged.
  ///
  /// - Parameter folder: the home.
  public init(in folder: String) throws {
    grants = LoginGrantFile(in: folder)
    targets = PrivateFile(in: folder, name: "webhooks.json")
    places = PrivateFile(in: folder, name: "webhooks-places.json")
    var entries: [String: Entry] = [:]
    var serials = 0
    for json in try Self.read(targets)?.elements ?? [] {
      guard var entry = Entry(json) else {
        throw WebhookFault(
          "\(targets.path) is damaged: restore it, or delete it and add the webhooks again")
      }
      serials += 1
      entry.serial = serials
      entries[entry.webhook.name] = entry
    }
    // Without its position a webhook receives known events again, which is harmless.
    for (name, json) in try Self.read(places)?.members ?? [:] {
      if let place = WebhookPosition(json) { entries[name]?.place = place }
      if let rejections = json.members?["stopped"]?.wholeNumber {
        entries[name]?.stall = WebhookStall(
          restoredWith: Int(clamping: max(0, rejections)), at: .now)
      }
    }
    state = Mutex(State(entries: entries, serials: serials))
  }

  // MARK: Changes by users

  var entries: [Entry] {
    state.withLock { $0.entries.values.sorted { $0.webhook.name < $1.webhook.name } }
  }

  func entry(_ name: String) -> Entry? { state.withLock { $0.entries[name] } }

  /// Adds a webhook, or replaces the one with this name, which keeps its position.
  ///
  /// - Parameter place: the start position of a new one.
  func put(_ webhook: Webhook, from place: WebhookPosition) throws {
    try change { state in
      guard state.entries[webhook.name] != nil || state.entries.count < Self.most else {
        throw WebhookFault("there are \(Self.most) webhooks already: remove one first")
      }
      if state.entries[webhook.name] != nil {
        state.entries[webhook.name]?.webhook = webhook
        Self.endStall(of: webhook.name, in: &state)
      } else {
        state.serials += 1
        state.entries[webhook.name] = Entry(
          serial: state.serials, webhook: webhook, since: place, place: place)
      }
    }
    try keepPlaces()
  }

  /// Confirms a webhook that a removed login made.
  func confirm(_ name: String) throws {
    try grants.forget(.webhook, name)
    try change { state in
      state.entries[name]?.trouble = nil
      Self.endStall(of: name, in: &state)
    }
  }

  /// Why a webhook posts nothing: the login that made it was removed. Nil if it posts.
  func pause(of name: String) throws -> String? {
    let grant = try grants.read().first { $0.kind == .webhook && $0.id == name }
    guard let grant, grant.state != .open else { return nil }
    return "paused: the login \(grant.login), which made it, was removed; to go on: "
      + "muster webhook keep \(name)"
  }

  /// Removes a webhook with its failed events.
  func remove(_ name: String) throws {
    try change { state in
      guard state.entries.removeValue(forKey: name) != nil else { throw Self.unknown(name) }
    }
    try keepPlaces()
  }

  /// Marks failed events for a retry: one crossing, or all with nil. Returns how many.
  func retry(_ name: String, _ crossing: String?) throws -> Int {
    try change { state in
      guard var entry = state.entries[name] else { throw Self.unknown(name) }
      let prefix = crossing.flatMap { IdentifierPrefix($0) }
      var count = 0
      for index in entry.failed.indices {
        let isMeant = prefix?.begins(entry.failed[index].crossing) ?? false
        guard crossing == nil || isMeant else { continue }
        entry.failed[index].isDue = true
        count += 1
      }
      guard crossing == nil || count == 1 else {
        throw WebhookFault("\(count) failed events have an id that begins with \(crossing ?? "")")
      }
      state.entries[name] = entry
      return count
    }
  }

  private static func unknown(_ name: String) -> WebhookFault {
    WebhookFault("there is no webhook \(name.prefix(64))")
  }

  // MARK: The sender

  /// Returns a stream that signals changes by users.
  func changes() -> AsyncStream<Void> {
    let (stream, bell) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    bell.yield()
    state.withLock { $0.watcher = bell }
    return stream
  }

  var changeCount: Int { state.withLock { $0.changes } }

  /// Returns a stream that signals possible work.
  func addBell(_ serial: Int) -> (rings: AsyncStream<Void>, bell: AsyncStream<Void>.Continuation) {
    let (rings, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { $0.bells[serial] = bell }
    return (rings, bell)
  }

  func removeBell(_ serial: Int) { state.withLock { $0.bells[serial] = nil } }

  func ringAll() {
    for bell in state.withLock({ Array($0.bells.values) }) { bell.yield() }
  }

  /// Moves the position in memory; `keepPlaces` stores it.
  func move(_ name: String, to place: WebhookPosition) {
    state.withLock { state in
      state.entries[name]?.place = place
      state.hasMoved = true
    }
  }

  /// Records a delivery, which ends the trouble and the stall.
  func noteDelivery(of name: String) {
    state.withLock { state in
      state.entries[name]?.trouble = nil
      Self.endStall(of: name, in: &state)
    }
  }

  /// Records that the receiver rejected an event, which waits no longer.
  func noteRejection(_ reason: String, of name: String) {
    noteFailure(reason, name) { $0.noteRejection() }
  }

  /// Records that an event waits after a failed attempt.
  func noteWait(_ reason: String, of name: String) { noteFailure(reason, name) { $0.noteWait() } }

  private func noteFailure(
    _ reason: String, _ name: String, _ change: (inout WebhookStall) -> Void
  ) {
    state.withLock { state in
      state.entries[name]?.trouble = reason
      var stall = state.entries[name]?.stall ?? WebhookStall(at: .now)
      change(&stall)
      state.entries[name]?.stall = stall
    }
  }

  /// Records that nothing is left to post.
  func noteIdle(_ name: String) {
    state.withLock { state in
      if state.entries[name]?.stall?.noteIdle() == true { Self.endStall(of: name, in: &state) }
    }
  }

  /// Returns the webhooks that have stopped, by name: they delivered nothing for this time although
  /// something waits. A paused one has not stopped.
  func stopped(after limit: Duration) throws -> [StoppedWebhook] {
    let now = ContinuousClock.now
    let stopped = state.withLock { state in
      state.entries.keys.sorted().compactMap { Self.review($0, in: &state, at: now, after: limit) }
    }
    return try stopped.filter { try pause(of: $0.name) == nil }
  }

  /// Whether a webhook was reported as stopped is part of its stored position.
  private static func endStall(of name: String, in state: inout State) {
    if state.entries[name]?.stall?.isReported == true { state.hasMoved = true }
    state.entries[name]?.stall = nil
  }

  /// Returns why a webhook has stopped; nil if it has not.
  private static func review(
    _ name: String, in state: inout State, at now: ContinuousClock.Instant, after limit: Duration
  ) -> StoppedWebhook? {
    guard let found = state.entries[name]?.stall?.review(at: now, after: limit) else { return nil }
    if found.isChanged { state.hasMoved = true }
    guard found.isStopped else { return nil }
    let line = state.entries[name]?.trouble?.split(whereSeparator: \.isNewline).first
    return StoppedWebhook(
      name: name, row: WebhookStall.row(of: name), trouble: line.map { String($0.prefix(200)) })
  }

  /// Stores a failed crossing. Returns false at the limit.
  func fail(_ delivery: FailedDelivery, of name: String) throws -> Bool {
    try save { state in
      guard var entry = state.entries[name] else { return true }
      entry.failed.removeAll { $0.crossing == delivery.crossing }
      guard entry.failed.count < Self.mostFailed else { return false }
      entry.failed.append(delivery)
      state.entries[name] = entry
      return true
    }
  }

  /// Removes a failed crossing that was delivered or no longer exists.
  func settle(_ crossing: CrossingID, of name: String) throws {
    try save { $0.entries[name]?.failed.removeAll { $0.crossing == crossing } }
  }

  /// Stores the positions of all webhooks.
  func keepPlaces() throws {
    try state.withLock { state in
      try Self.write(JSON.object(state.entries.mapValues(\.storedPlace)), to: places)
      state.hasMoved = false
    }
  }

  var hasMoved: Bool { state.withLock { $0.hasMoved } }

  // MARK: Files

  private func change<Result: Sendable>(_ body: (inout State) throws -> Result) throws -> Result {
    let result = try save(body)
    let (watcher, bells) = state.withLock { state in
      state.changes += 1
      return (state.watcher, Array(state.bells.values))
    }
    watcher?.yield()
    for bell in bells { bell.yield() }
    return result
  }

  /// Changes the state and stores it; if it cannot be stored, the state stays unchanged.
  private func save<Result: Sendable>(_ body: (inout State) throws -> Result) throws -> Result {
    try state.withLock { state in
      let before = state.entries
      do {
        let result = try body(&state)
        let list = state.entries.values.sorted { $0.webhook.name < $1.webhook.name }
        try Self.write(.array(list.map(\.json)), to: targets)
        return result
      } catch {
        state.entries = before
        throw error
      }
    }
  }

  private static func read(_ file: PrivateFile) throws -> JSON? {
    do {
      return try file.read().map { try JSON.read(Array($0)) }
    } catch {
      throw WebhookFault("\(file.path) cannot be read: \(error)")
    }
  }

  private static func write(_ json: JSON, to file: PrivateFile) throws {
    try file.write(Data((json.text + "\n").utf8))
  }
}

extension WebhookStore.Entry {
  var json: JSON {
    JSON.object(webhook.rules.members).adding([
      "name": .string(webhook.name), "url": .string(webhook.address.url),
      "secret": .string(webhook.secret), "since": since.json,
      "failed": .array(failed.map(\.stored)),
    ])
  }

  init?(_ json: JSON) {
    guard let members = json.members, let name = members["name"]?.word,
      let url = members["url"]?.word, let secret = members["secret"]?.word,
      let rules = Webhook.Rules(members),
      let since = members["since"].flatMap(WebhookPosition.init),
      let stored = members["failed"]?.elements
    else { return nil }
    let failed = stored.compactMap(FailedDelivery.init(stored:))
    guard failed.count == stored.count else { return nil }
    do {
      webhook = try Webhook(
        name: name, address: WebhookAddress(parsing: url), secret: secret, rules: rules)
    } catch {
      return nil
    }
    self.since = since
    place = since
    self.failed = failed
  }
}

extension Webhook.Rules {
  /// Parses the form in the file and in the API; nil if malformed.
  init?(_ members: [String: JSON]) {
    func words(_ name: String) -> [String]? {
      guard let list = members[name] else { return [] }
      let words = list.elements?.compactMap(\.word)
      return words?.count == list.elements?.count ? words : nil
    }
    guard let events = words("events"), let fences = words("fences"),
      let users = words("users"), let datasets = words("datasets")
    else { return nil }
    let types = CrossingType.kinds.filter { events.contains($0.name) }
    self.init(
      events: members["events"] == nil ? nil : Set(types), alerts: events.contains(Self.alert),
      fences: fences, users: users,
      datasets: Set(Dataset.allCases.filter { datasets.contains($0.name) }))
  }
}
