internal import Synchronization

/// Limits the guessing of passphrases: a maximum of failures per minute from one address, and from
/// all together.
final class LoginThrottle: Sendable {
  private static let perClient = 5
  private static let inAll = 60
  private static let window = Duration.seconds(60)
  private static let mostClients = 1024

  private let failures = Mutex<[(client: String, time: ContinuousClock.Instant)]>([])

  func allows(_ client: String, now: ContinuousClock.Instant) -> Bool {
    failures.withLock { failures in
      failures.removeAll { now - $0.time >= Self.window }
      return failures.count < Self.inAll
        && failures.count { $0.client == client } < Self.perClient
    }
  }

  func failed(_ client: String, now: ContinuousClock.Instant) {
    failures.withLock { failures in
      if failures.count >= Self.mostClients { failures.removeFirst() }
      failures.append((client, now))
    }
  }
}
