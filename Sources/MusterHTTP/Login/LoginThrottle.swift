internal import Synchronization

/// Limits guesses of passphrases without locking out the people who know theirs (OWASP, "Slow Down
/// Online Guessing Attacks"), and the processor time that logins take.
///
/// - *Each address* may fail five times; then it waits a minute, and twice as long after each
///   further failure, up to sixteen minutes. A network prefix of 64 bits counts as one address in
///   IPv6, except for link-local addresses. A login does not reset the count: with an account of
///   their own, people could otherwise guess the passphrases of others without a pause.
/// - *Each account* may be guessed thirty times by addresses that it is not known from; then one
///   guess every ten seconds is judged.
/// - *An address from which an account logged in lately is known* to that account. The pair has a
///   count of its own, and only that count slows it down.
/// - *Each account* may log in thirty times, then once in ten seconds; *each address* sixty times,
///   then once in two seconds. Only correct passphrases count, so that others cannot lock it out.
/// - *Two verifications at a time* are of one address, or of one account at its known addresses.
///   The last guess before a pause is verified alone, so that none passes beside it.
///
/// Open sessions are not affected. All tables are bounded.
final class LoginThrottle: Sendable {
  private static let freeFailures = 5
  private static let firstPause = Duration.seconds(60)
  private static let mostDoublings = 4
  private static let guesses = Budget(burst: 30, interval: .seconds(10))
  private static let loginsOfAccount = Budget(burst: 30, interval: .seconds(10))
  private static let loginsOfAddress = Budget(burst: 60, interval: .seconds(2))
  private static let mostAtOnce = 2
  private static let mostEntries = 1024

  /// An address, as it is counted.
  typealias Source = String

  /// Whether a passphrase may be verified now.
  enum Verdict: Sendable {
    /// The caller MUST end the attempt.
    case verify(Attempt)
    case wait(Duration)
  }

  /// A verification that runs.
  struct Attempt: Sendable {
    fileprivate let pair: Known
    fileprivate let isKnown: Bool
    /// Where it counts while it runs, and if it fails.
    fileprivate let running: Place
    fileprivate let failing: Place

    fileprivate init(_ pair: Known, isKnown: Bool) {
      (self.pair, self.isKnown) = (pair, isKnown)
      running = isKnown ? .account(pair.account) : .source(pair.source)
      failing = isKnown ? .pair(pair) : .source(pair.source)
    }
  }

  fileprivate struct Known: Hashable {
    let account: String
    let source: Source
  }

  fileprivate enum Place: Hashable {
    case source(Source)
    case account(String)
    case pair(Known)
    /// Guesses at an account from addresses that it is not known from.
    case guesses(String)
  }

  private struct Failures {
    var count = 0
    var last: ContinuousClock.Instant

    /// When the next attempt is verified.
    var ends: ContinuousClock.Instant {
      let over = count - LoginThrottle.freeFailures
      guard over >= 0 else { return last }
      return last + LoginThrottle.firstPause * (1 << min(over, LoginThrottle.mostDoublings))
    }

    mutating func add(_ now: ContinuousClock.Instant) {
      // A minute after the pause ended the count begins again.
      if count > 0, now - ends > LoginThrottle.firstPause { count = 0 }
      count += 1
      last = now
    }
  }

  private struct State {
    /// Of an address, for accounts that it is not known to, and of each pair that is known.
    var failures: [Place: Failures] = [:]
    /// What was used of the budgets of guesses, and of logins of an account and of an address.
    var used: [Place: ContinuousClock.Instant] = [:]
    /// When an account last logged in from an address.
    var known: [Known: ContinuousClock.Instant] = [:]
    /// Verifications that run.
    var running: [Place: Int] = [:]
  }

  private let state = Mutex(State())

  /// Decides about a login, and counts it as running if it may be verified.
  func begin(
    _ account: String, from client: String, now: ContinuousClock.Instant
  ) -> Verdict {
    let pair = Known(account: account, source: Self.source(client))
    return state.withLock { state in
      let attempt = Attempt(pair, isKnown: state.known[pair] != nil)
      if let pause = Self.pause(of: attempt, in: state, now: now) { return .wait(pause) }
      state.running[attempt.running, default: 0] += 1
      return .verify(attempt)
    }
  }

  private static func pause(
    of attempt: Attempt, in state: State, now: ContinuousClock.Instant
  ) -> Duration? {
    let pair = attempt.pair
    let failures = state.failures[attempt.failing]
    if let failures, failures.ends > now { return failures.ends - now }
    if !attempt.isKnown,
      let pause = guesses.pause(state.used[.guesses(pair.account)], now: now)
    {
      return pause
    }
    if let pause = loginsOfAccount.pause(state.used[.account(pair.account)], now: now)
      ?? loginsOfAddress.pause(state.used[.source(pair.source)], now: now)
    {
      return pause
    }
    let running = state.running[attempt.running] ?? 0
    let isLast = (failures?.count ?? 0) + running >= freeFailures
    return running < mostAtOnce && (running == 0 || !isLast) ? nil : .seconds(1)
  }

  /// Whether the account of an attempt logged in from its address before.
  func isKnown(_ attempt: Attempt) -> Bool { attempt.isKnown }

  /// Ends an attempt. Names that no account has count as wrong passphrases: they MUST be
  /// indistinguishable from others.
  ///
  /// - Parameter isRight: nil if nothing was verified.
  func end(_ attempt: Attempt, isRight: Bool?, now: ContinuousClock.Instant) {
    let pair = attempt.pair
    state.withLock { state in
      let running = (state.running[attempt.running] ?? 1) - 1
      state.running[attempt.running] = running > 0 ? running : nil
      guard let isRight else { return }
      if isRight {
        Self.loginsOfAccount.add(to: &state.used[.account(pair.account)], now: now)
        Self.loginsOfAddress.add(to: &state.used[.source(pair.source)], now: now)
        Self.learn(pair, in: &state, now: now)
      } else {
        state.failures[attempt.failing, default: Failures(last: now)].add(now)
        if !attempt.isKnown { Self.guesses.add(to: &state.used[.guesses(pair.account)], now: now) }
      }
      Self.bound(&state.failures) { $0.last }
      Self.bound(&state.used) { $0 }
    }
  }

  /// Records that a login was opened by its link, after which the address is known to the account.
  func opened(_ account: String, from client: String, now: ContinuousClock.Instant) {
    let pair = Known(account: account, source: Self.source(client))
    state.withLock { Self.learn(pair, in: &$0, now: now) }
  }

  /// Of too many known addresses, the account with the most loses its oldest one: the logins
  /// of one account displace no address of another.
  private static func learn(
    _ pair: Known, in state: inout State, now: ContinuousClock.Instant
  ) {
    state.failures[.pair(pair)] = nil
    state.known[pair] = now
    guard state.known.count > mostEntries else { return }
    let counts = Dictionary(state.known.keys.map { ($0.account, 1) }, uniquingKeysWith: +)
    let oldest = state.known.max {
      let (first, second) = (counts[$0.key.account] ?? 0, counts[$1.key.account] ?? 0)
      return first != second ? first < second : $0.value > $1.value
    }
    if let oldest {
      state.known[oldest.key] = nil
      state.failures[.pair(oldest.key)] = nil
    }
  }

  /// Drops the entries that were used longest ago of a table that is full.
  private static func bound<Key, Value>(
    _ table: inout [Key: Value], by time: (Value) -> ContinuousClock.Instant
  ) {
    while table.count > mostEntries,
      let oldest = table.min(by: { time($0.value) < time($1.value) })
    {
      table[oldest.key] = nil
    }
  }

  /// The holder of one address of an IPv6 network usually controls the whole network. All devices
  /// on a link share the prefix `fe80::/64`: their whole addresses are counted.
  private static func source(_ client: String) -> Source {
    guard client.contains(":") else { return client }
    let address = client.split(separator: "%")[0]
    let halves = address.split(separator: "::", omittingEmptySubsequences: false)
    let head = halves[0].split(separator: ":").map(String.init)
    if address.hasPrefix("::ffff:"), address.contains(".") {
      return String(address.dropFirst("::ffff:".count))
    }
    if address.lowercased().hasPrefix("fe80:") { return String(address) }
    let tail = halves.count > 1 ? halves[1].split(separator: ":").map(String.init) : []
    let zeros = halves.count > 1 ? max(0, 8 - head.count - tail.count) : 0
    let groups = head + [String](repeating: "0", count: zeros) + tail
    return groups.prefix(4).joined(separator: ":") + "::/64"
  }
}
