internal import Foundation
internal import MusterInterchange
internal import MusterModel
internal import MusterTransport
internal import Synchronization

/// The webhooks of a node: where events go, how far each has been told, and what it would not
/// take. In two files of the home that this user alone reads:
///
///     webhooks.json          targets with their secrets, since when, what they would not take
///     webhooks-places.json   how far each has been told; without it, it is told again
///
/// Whoever opens it MUST hold the home's lock.
public final class WebhookBook: Sendable {
  static let most = 32
  /// Of one webhook. With so many nothing more is posted to it until somebody has looked.
  static let mostFailed = 1000

  struct Entry: Sendable {
    /// Another for one that is added anew under an old name.
    var serial = 0
    var webhook: Webhook
    /// Where it began.
    let since: WebhookPlace
    var place: WebhookPlace
    var failed: [FailedDelivery] = []
    /// How the last attempt went wrong; nil where it did not.
    var trouble: String?
  }

  private struct State {
    var entries: [String: Entry] = [:]
    var serials = 0
    /// How often people have changed something.
    var changes = 0
    var bells: [Int: AsyncStream<Void>.Continuation] = [:]
    var watcher: AsyncStream<Void>.Continuation?
    var hasMoved = false
  }

  private let targets: URL
  private let places: URL
  private let state: Mutex<State>

  /// Reads what is there; throws `WebhookFault` for what is damaged.
  ///
  /// - Parameter folder: the home.
  public init(in folder: String) throws {
    let folder = URL(filePath: folder)
    targets = folder.appending(path: "webhooks.json")
    places = folder.appending(path: "webhooks-places.json")
    var entries: [String: Entry] = [:]
    var serials = 0
    for json in try Self.read(targets)?.elements ?? [] {
      guard var entry = Entry(json) else {
        throw WebhookFault(
          "\(targets.path) is damaged: restore it, or take it away and add all anew")
      }
      serials += 1
      entry.serial = serials
      entries[entry.webhook.name] = entry
    }
    // Without its place a webhook is told again what it knows, which does no harm.
    for (name, json) in try Self.read(places)?.members ?? [:] {
      if let place = WebhookPlace(json) { entries[name]?.place = place }
    }
    state = Mutex(State(entries: entries, serials: serials))
  }

  // MARK: People

  var entries: [Entry] {
    state.withLock { $0.entries.values.sorted { $0.webhook.name < $1.webhook.name } }
  }

  func entry(_ name: String) -> Entry? { state.withLock { $0.entries[name] } }

  /// Adds a webhook, or replaces the one of that name, which goes on where it was.
  ///
  /// - Parameter place: where a new one begins.
  func put(_ webhook: Webhook, from place: WebhookPlace) throws {
    try change { state in
      guard state.entries[webhook.name] != nil || state.entries.count < Self.most else {
        throw WebhookFault("there are \(Self.most) webhooks already: remove one first")
      }
      if state.entries[webhook.name] != nil {
        state.entries[webhook.name]?.webhook = webhook
      } else {
        state.serials += 1
        state.entries[webhook.name] = Entry(
          serial: state.serials, webhook: webhook, since: place, place: place)
      }
    }
    try keepPlaces()
  }

  /// With all that it would not take.
  func remove(_ name: String) throws {
    try change { state in
      guard state.entries.removeValue(forKey: name) != nil else { throw Self.unknown(name) }
    }
    try keepPlaces()
  }

  /// Has what was not taken tried again: one crossing, or with nil all. How many.
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
        throw WebhookFault("\(count) events that were not taken begin with \(crossing ?? "")")
      }
      state.entries[name] = entry
      return count
    }
  }

  private static func unknown(_ name: String) -> WebhookFault {
    WebhookFault("there is no webhook \(name.prefix(64))")
  }

  // MARK: The sender

  /// Rings when somebody has changed something.
  func changes() -> AsyncStream<Void> {
    let (stream, bell) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    bell.yield()
    state.withLock { $0.watcher = bell }
    return stream
  }

  var changeCount: Int { state.withLock { $0.changes } }

  /// Rings when there may be something to do.
  func addBell(_ serial: Int) -> (rings: AsyncStream<Void>, bell: AsyncStream<Void>.Continuation) {
    let (rings, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { $0.bells[serial] = bell }
    return (rings, bell)
  }

  func removeBell(_ serial: Int) { state.withLock { $0.bells[serial] = nil } }

  func ringAll() {
    for bell in state.withLock({ Array($0.bells.values) }) { bell.yield() }
  }

  /// In memory: `keepPlaces` writes it down.
  func move(_ name: String, to place: WebhookPlace) {
    state.withLock { state in
      state.entries[name]?.place = place
      state.hasMoved = true
    }
  }

  func note(_ trouble: String?, of name: String) {
    state.withLock { $0.entries[name]?.trouble = trouble }
  }

  /// Puts a crossing aside that is not taken. False where too many are there.
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

  /// It was taken after all, or is not known any more.
  func settle(_ crossing: CrossingID, of name: String) throws {
    try save { $0.entries[name]?.failed.removeAll { $0.crossing == crossing } }
  }

  /// Writes down how far all have been told.
  func keepPlaces() throws {
    try state.withLock { state in
      try Self.write(JSON.object(state.entries.mapValues(\.place.json)), to: places)
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

  /// What cannot be written down has not happened.
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

  private static func read(_ url: URL) throws -> JSON? {
    guard FileManager.default.fileExists(atPath: url.path) else { return nil }
    do {
      return try JSON.read(Array(try Data(contentsOf: url)))
    } catch {
      throw WebhookFault("\(url.path) cannot be read: \(error)")
    }
  }

  /// Beside it first, so that it is whole at any moment.
  private static func write(_ json: JSON, to url: URL) throws {
    let new = url.appendingPathExtension("new")
    guard
      FileManager.default.createFile(
        atPath: new.path, contents: Data((json.text + "\n").utf8),
        attributes: [.posixPermissions: 0o600])
    else { throw UnwritableFile(description: "\(new.path) cannot be written") }
    guard rename(new.path, url.path) == 0 else {
      let reason = String(cString: strerror(errno))
      throw UnwritableFile(description: "\(url.path) cannot be replaced: \(reason)")
    }
  }
}

extension WebhookBook.Entry {
  var json: JSON {
    JSON.object(webhook.rules.members).adding([
      "name": .string(webhook.name), "url": .string(webhook.address.description),
      "secret": .string(webhook.secret), "since": since.json,
      "failed": .array(failed.map(\.stored)),
    ])
  }

  init?(_ json: JSON) {
    guard let members = json.members, let name = members["name"]?.word,
      let url = members["url"]?.word, let secret = members["secret"]?.word,
      let rules = Webhook.Rules(members), let since = members["since"].flatMap(WebhookPlace.init),
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

/// The disk's fault, not that of who asks.
private struct UnwritableFile: Error, CustomStringConvertible {
  let description: String
}

extension Webhook.Rules {
  /// As the file and the API have it; nil for what is none.
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
