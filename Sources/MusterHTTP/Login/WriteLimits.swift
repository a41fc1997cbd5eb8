internal import Synchronization

/// Limits what a login without the rights of command writes, so that a lost phone does not fill the
/// logs of all devices: what it adds is signed, and stays.
///
/// A phone that was out of range sends what waited until the burst is used, and the rest at the
/// interval. Calls for help, cancellations, answers and check-ins have a reserve of their own,
/// which no other report uses.
final class WriteLimits: Sendable {
  enum Kind: Hashable {
    /// A report, or a photo, a comment, a confirmation or a change of one.
    case addition
    /// What its own person reports about themselves, other than safety.
    case ownReport
    /// A call for help, or its cancellation.
    case safety
    /// An answer to an order, or a check-in.
    case answer
    /// A write that its rights do not permit, as an entry of the audit log.
    case refusal

    /// The name in documents.
    var name: String {
      switch self {
      case .addition: "addition"
      case .ownReport: "own report"
      case .safety: "safety"
      case .answer: "answer"
      case .refusal: "refusal"
      }
    }

    fileprivate var budget: Budget {
      switch self {
      case .addition: Budget(burst: 240, interval: .seconds(4))
      case .ownReport: Budget(burst: 30, interval: .seconds(60))
      case .safety, .answer: Budget(burst: 120, interval: .seconds(5))
      case .refusal: Budget(burst: 60, interval: .seconds(60))
      }
    }
  }

  private struct Key: Hashable {
    let login: String
    let kind: Kind
  }

  private static let mostEntries = 1024

  private let used = Mutex<[Key: ContinuousClock.Instant]>([:])

  /// Counts a write of a login. Returns how long it must wait instead, if it comes too soon.
  func pause(
    _ kind: Kind, of login: String, now: ContinuousClock.Instant
  ) -> Duration? {
    let (key, budget) = (Key(login: login, kind: kind), kind.budget)
    return used.withLock { used in
      if let pause = budget.pause(used[key], now: now) { return pause }
      // There are fewer logins: the others were removed.
      if used.count >= Self.mostEntries { used = used.filter { $0.value > now } }
      budget.add(to: &used[key], now: now)
      return nil
    }
  }
}
