internal import Logging
internal import MusterAmazon
internal import MusterInterchange
internal import MusterModel
internal import MusterNode
internal import NIOCore
internal import Synchronization

/// Notifies the readers of event streams of changed data sets. All readers share one query, and a
/// bounded number of notices waits for a reader that is too slow.
///
///     node ── counts ──▶ SubscriptionBroker ── notice ──▶ Subscriber ──▶ one event stream
///                        queries once the        bounded; on overflow the
///                        changes since the last  reader must reload
///
/// Subscriptions are names for a choice of data sets, kept in memory until they are removed or the
/// node stops.
final class SubscriptionBroker: Sendable {
  static let mostSubscribers = 1024
  /// The streams of one login, which a group may share, and of all logins together: the rest is for
  /// clients on this machine.
  static let mostOfLogin = 64
  static let mostOfLogins = 896
  static let mostSubscriptions = 256
  /// A stream sends something at this interval, so that both ends detect a lost connection.
  private static let pulse = Duration.seconds(15)
  /// How often it looks for a reason to review the streams of logins.
  private static let reviewInterval = Duration.seconds(1)

  private struct State {
    var subscribers: [Int: Subscriber] = [:]
    var subscriptions: [String: Set<Dataset>] = [:]
    var next = 0
    var isOver = false
  }

  /// The devices that programs registered by Cognito Sync; nil if that is disabled by an error.
  let devices: SyncDevices?
  private let node: Node
  /// Nil without logins.
  private let logins: LoginLinks?
  private let logger: Logger
  private let state = Mutex(State())

  init(node: Node, devices: SyncDevices?, logins: LoginLinks?, logger: Logger) {
    self.node = node
    self.logins = logins
    self.devices = devices
    self.logger = logger
  }

  var subscribers: Int { state.withLock { $0.subscribers.count } }

  // MARK: Running

  /// Follows the node until it stops or the task is cancelled.
  func run() async {
    let source: String
    do {
      source = "\(try await node.device())"
    } catch {
      return logger.error("changes cannot be sent to subscribers: \(error)")
    }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.follow(source) }
      group.addTask { await self.beat() }
      group.addTask { await self.watchLogins() }
      await group.next()
      group.cancelAll()
    }
    let open = state.withLock { state in
      state.isOver = true
      return Array(state.subscribers.values)
    }
    for subscriber in open { subscriber.finish() }
  }

  private func follow(_ source: String) async {
    var known = node.changeCounts
    for await newest in await node.changes() {
      var counts = newest
      for dataset in Dataset.allCases where counts[dataset] > known[dataset] {
        let notice: Notice
        do {
          notice = try await Notice(
            of: dataset, since: known[dataset], until: counts[dataset], from: source, at: node)
        } catch {
          logger.error("a change cannot be sent to subscribers yet: \(error)")
          counts[dataset] = known[dataset]
          continue
        }
        for subscriber in state.withLock({ Array($0.subscribers.values) }) {
          subscriber.send(notice)
        }
      }
      known = counts
    }
  }

  private func beat() async {
    while true {
      do {
        try await Task.sleep(for: Self.pulse)
      } catch {
        return
      }
      for subscriber in state.withLock({ Array($0.subscribers.values) }) { subscriber.beat() }
    }
  }

  /// What the rights of the readers depend on.
  private struct Withdrawals: Equatable {
    struct Person: Hashable {
      let user: UserID
      let hasSignedOff: Bool
      let revokedDevices: Int
    }

    let files: [FileVersion?]
    let people: Set<Person>
  }

  /// Reviews the streams of logins when a login or a token changed, also by another process, and
  /// when a person signed off or a device of theirs was revoked.
  private func watchLogins() async {
    var known: Withdrawals?
    while true {
      do {
        try await Task.sleep(for: Self.reviewInterval)
      } catch {
        return
      }
      let readers = state.withLock { $0.subscribers.values.filter { $0.login != nil } }
      guard !readers.isEmpty else { continue }
      var people: Set<Withdrawals.Person> = []
      for user in Set(readers.compactMap(\.user)) {
        do {
          let found = try await node.withdrawals(of: user)
          people.insert(
            .init(
              user: user, hasSignedOff: found.hasSignedOff, revokedDevices: found.revokedDevices))
        } catch {
          // The pulse is the next chance.
          logger.error("the standing of a login's person cannot be read: \(error)")
        }
      }
      let now = Withdrawals(files: logins?.versions() ?? [], people: people)
      if now != known { review() }
      known = now
    }
  }

  /// Lets every stream check now whether its reader is still logged in.
  func review() {
    for subscriber in state.withLock({ Array($0.subscribers.values) }) { subscriber.review() }
  }

  // MARK: Following

  /// Adds a subscriber; nil at the limit, or when the node stops.
  func join(_ subscriber: Subscriber) -> Int? {
    state.withLock { state in
      guard !state.isOver, state.subscribers.count < Self.mostSubscribers,
        Self.hasRoom(for: subscriber.login, beside: state.subscribers.values.compactMap(\.login))
      else { return nil }
      state.next += 1
      state.subscribers[state.next] = subscriber
      return state.next
    }
  }

  private static func hasRoom(for login: String?, beside others: [String]) -> Bool {
    guard let login else { return true }
    return others.count < mostOfLogins && others.count { $0 == login } < mostOfLogin
  }

  func leave(_ number: Int) { state.withLock { $0.subscribers[number] = nil } }

  /// Returns the changes that a reconnecting reader has missed.
  func missed(
    of datasets: Set<Dataset>, since known: ChangeCounts
  ) async throws -> [Notice] {
    let source = "\(try await node.device())"
    var notices: [Notice] = []
    for dataset in Dataset.allCases where datasets.contains(dataset) {
      let counts = node.changeCounts
      guard counts[dataset] != known[dataset] else { continue }
      notices.append(
        try await Notice(
          of: dataset, since: known[dataset], until: counts[dataset], from: source, at: node))
    }
    return notices
  }

  // MARK: Subscriptions

  /// Creates a subscription; false at the limit.
  func subscribe(as id: String, to datasets: Set<Dataset>) -> Bool {
    state.withLock { state in
      guard
        state.subscriptions[id] != nil || state.subscriptions.count < Self.mostSubscriptions
      else { return false }
      state.subscriptions[id] = datasets
      for subscriber in state.subscribers.values where subscriber.subscription == id {
        subscriber.choose(datasets)
      }
      return true
    }
  }

  /// Removes a subscription and ends its streams; false if there is none.
  func unsubscribe(_ id: String) -> Bool {
    let (was, open) = state.withLock { state in
      let was = state.subscriptions.removeValue(forKey: id) != nil
      return (was, state.subscribers.values.filter { $0.subscription == id })
    }
    for subscriber in open { subscriber.finish() }
    return was
  }

  func subscription(_ id: String) -> Set<Dataset>? { state.withLock { $0.subscriptions[id] } }

  var subscriptions: [(id: String, datasets: Set<Dataset>)] {
    state.withLock { state in
      state.subscriptions.sorted { $0.key < $1.key }.map { (id: $0.key, datasets: $0.value) }
    }
  }
}
