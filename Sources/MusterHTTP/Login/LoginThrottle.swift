internal import Synchronization

/// Limits guesses of passphrases without locking out the people who know theirs (OWASP, "Slow Down
/// Online Guessing Attacks").
///
/// - *Each address* may fail five times; then it waits a minute, and twice as long after each
///   further failure, up to sixteen minutes. A network prefix of 64 bits counts as one address in
///   IPv6, except for link-local addresses. A login does not reset the count: with an account of
///   their own, people could otherwise guess the passphrases of others without a pause.
/// - *Each account* may be guessed thirty times by addresses that it is not known from; then one
///   guess every ten seconds is judged.
/// - *An address from which an account logged in lately is known* to that account. The pair has a
///   count of its own, and only that count slows it down.
///
/// Open sessions are not affected. All tables are bounded; the entries that were used longest ago
/// are dropped first.
final class LoginThrottle: Sendable {
  private static let freeFailures = 5
  private static let firstPause = Duration.seconds(60)
  private static let mostDoublings = 4
  private static let accountBurst = 30
  private static let accountInterval = Duration.seconds(10)
  private static let mostEntries = 1024

  /// An address, as it is counted.
  typealias Source = String

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
    /// Failures for accounts that the address is not known to.
    var sources: [Source: Failures] = [:]
    /// Failures for an account from an address that is known to it.
    var pairs: [Known: Failures] = [:]
    /// For an account, when its budget of guesses from unknown addresses is used up; each guess
    /// moves it by one interval.
    var accounts: [String: ContinuousClock.Instant] = [:]
    /// When an account last logged in from an address.
    var known: [Known: ContinuousClock.Instant] = [:]
  }

  private struct Known: Hashable {
    let account: String
    let source: Source
  }

  private let state = Mutex(State())

  /// Returns how long this login must wait; nil if it may be verified now.
  func pause(
    of account: String, from client: String, now: ContinuousClock.Instant
  ) -> Duration? {
    let pair = Known(account: account, source: Self.source(client))
    return state.withLock { state in
      let isKnown = state.known[pair] != nil
      if let failures = isKnown ? state.pairs[pair] : state.sources[pair.source],
        failures.ends > now
      {
        return failures.ends - now
      }
      if isKnown { return nil }
      let limit = now + Self.accountInterval * Self.accountBurst
      guard let used = state.accounts[account], used + Self.accountInterval > limit else {
        return nil
      }
      return used + Self.accountInterval - limit
    }
  }

  /// Returns whether an account logged in from this address.
  func knows(_ client: String, of account: String) -> Bool {
    let known = Known(account: account, source: Self.source(client))
    return state.withLock { $0.known[known] != nil }
  }

  /// Counts a wrong name or passphrase. Names that no account has count too: they MUST be
  /// indistinguishable from others.
  func failed(_ account: String, from client: String, now: ContinuousClock.Instant) {
    let pair = Known(account: account, source: Self.source(client))
    state.withLock { state in
      guard state.known[pair] == nil else {
        state.pairs[pair, default: Failures(last: now)].add(now)
        return
      }
      state.sources[pair.source, default: Failures(last: now)].add(now)
      Self.bound(&state.sources) { $0.last }
      state.accounts[account] = max(state.accounts[account] ?? now, now) + Self.accountInterval
      Self.bound(&state.accounts) { $0 }
    }
  }

  /// Records a login, after which the address is known to the account.
  func succeeded(_ account: String, from client: String, now: ContinuousClock.Instant) {
    let pair = Known(account: account, source: Self.source(client))
    state.withLock { state in
      state.pairs[pair] = nil
      state.known[pair] = now
      Self.bound(&state.known) { $0 }
      state.pairs = state.pairs.filter { state.known[$0.key] != nil }
    }
  }

  private static func bound<Key, Value>(
    _ table: inout [Key: Value], by time: (Value) -> ContinuousClock.Instant
  ) {
    guard table.count > mostEntries else { return }
    if let oldest = table.min(by: { time($0.value) < time($1.value) }) { table[oldest.key] = nil }
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
