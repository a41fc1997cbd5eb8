internal import Synchronization

/// Failed logins, for the audit: at most one line a minute, in a separate file, so that guessing
/// attackers cannot displace the actions of users.
final class FailedLogins: Sendable {
  private struct Pending {
    var began: ContinuousClock.Instant
    var count = 0
    var addresses: Set<String> = []
    var names: Set<String> = []
  }

  static let interval = Duration.seconds(60)
  private static let mostNamed = 16

  private let log: AuditLog
  private let pending = Mutex<Pending?>(nil)

  init(log: AuditLog) { self.log = log }

  /// Adds a failure. The first is written at once, further ones within a minute together.
  func add(_ name: String, from client: String, now: ContinuousClock.Instant) {
    flush(now: now)
    let isFirst = pending.withLock { pending in
      guard pending != nil else {
        pending = Pending(began: now)
        return true
      }
      pending?.count += 1
      if (pending?.addresses.count ?? 0) < Self.mostNamed { pending?.addresses.insert(client) }
      if (pending?.names.count ?? 0) < Self.mostNamed {
        pending?.names.insert(String(name.prefix(40)))
      }
      return false
    }
    if isFirst { log.record("login", by: name, from: client, status: 401) }
  }

  /// Writes the failures counted for a minute.
  func flush(now: ContinuousClock.Instant) {
    write { now - $0.began >= Self.interval }
  }

  /// Writes all failures counted so far, before the node stops.
  func finish() {
    write { _ in true }
  }

  private func write(if isDue: (Pending) -> Bool) {
    let done = pending.withLock { pending -> Pending? in
      guard let counted = pending, isDue(counted) else { return nil }
      pending = nil
      return counted
    }
    guard let done, done.count > 0 else { return }
    log.record(
      "\(done.count) more failed logins", by: done.names.sorted().joined(separator: ", "),
      from: done.addresses.sorted().joined(separator: ", "), status: 401)
  }
}
