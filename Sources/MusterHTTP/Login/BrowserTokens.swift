internal import Logging
internal import MusterCrypto
internal import MusterModel
internal import Synchronization

/// The tokens of browsers as the listener uses them: the file of the home, read again when another
/// process changed it, and what lasts only while the node runs.
///
/// A write that fails, on a full disk, is logged and tried again with the next request: no user is
/// logged out by it.
final class BrowserTokens: Sendable {
  /// The token of a request.
  struct Found: Sendable {
    let token: BrowserToken
    /// A secret that the browser is to use from now on; nil for none.
    let renewed: String?
  }

  /// Confirmed by the passphrase, the rights of command last while their user acts, and the view of
  /// command while the page is open; both for half a day at most.
  private struct Unlock {
    let began: ContinuousClock.Instant
    var acted: ContinuousClock.Instant
    var seen: ContinuousClock.Instant
  }

  private struct State {
    /// The file as it was read last; nil if it is to be read.
    var kept: (version: FileVersion?, tokens: [BrowserToken])?
    var unlocks: [String: Unlock] = [:]
    /// Secrets that were replaced within the last minute, for concurrent requests.
    var previous: [Bytes32: (id: String, ends: ContinuousClock.Instant)] = [:]
  }

  static let idle = Duration.seconds(30 * 60)
  static let longest = Duration.seconds(12 * 3600)
  static let grace = Duration.seconds(60)

  /// How long a token has all rights of its login after the passphrase or a restoration.
  let termSeconds: Int64
  let file: BrowserTokenFile
  private let logger: Logger
  private let state = Mutex(State())

  init(in folder: String, termSeconds: Int64, logger: Logger) {
    file = BrowserTokenFile(in: folder)
    self.termSeconds = termSeconds
    self.logger = logger
  }

  // MARK: Requests

  /// Issues a token to a user who stated the passphrase. Returns its secret.
  ///
  /// - Parameters:
  ///   - old: the secret that the browser has, which stays valid until the new one is used: another
  ///     user may know it, so that it gains nothing. Nil for none.
  ///   - revocations: how many devices of the login's person are revoked; nil to count them at the
  ///     first request.
  func issue(
    to login: Login, device: String, replacing old: String?, revocations: Int? = nil,
    wall: Timestamp, now: ContinuousClock.Instant
  ) throws -> String {
    let secret = Hex.encode(SystemRandom.seed())
    let id = try update { tokens -> String in
      let key = old.map { BrowserToken.hash(of: $0) }
      let replaced = tokens.first { token in key.map { token.match($0) != nil } ?? false }
      // An earlier answer was lost.
      if let replaced { tokens.removeAll { $0.replaces == replaced.id } }
      let token = BrowserToken(
        secret, of: login, device: device, replaces: replaced?.id,
        revocations: revocations, now: wall)
      tokens.append(token)
      BrowserTokenFile.makeRoom(in: &tokens, for: login.name)
      return token.id
    }
    state.withLock { state in
      if state.unlocks.count >= BrowserTokenFile.most {
        state.unlocks = state.unlocks.filter { now - $0.value.seen < Self.idle }
      }
      state.unlocks[id] = Unlock(began: now, acted: now, seen: now)
    }
    return secret
  }

  /// Returns the token of a secret; nil for an unknown one.
  func find(_ secret: String, wall: Timestamp, now: ContinuousClock.Instant) throws -> Found? {
    guard let (token, match) = try match(secret, now: now) else { return nil }
    guard let match else { return Found(token: token, renewed: nil) }
    let isRotated = match == .current && token.next != nil
    let rotates = match == .current && !isRotated && token.isRotationDue(now: wall)
    guard match == .next || rotates || token.replaces != nil || token.isUseDue(now: wall) else {
      return Found(token: token, renewed: isRotated ? token.nextSecret(after: secret) : nil)
    }
    do {
      return try use(secret, of: token, match, rotates: rotates, wall: wall, now: now)
    } catch {
      logger.error("the use of a login's token cannot be stored: \(error)")
      return Found(token: token, renewed: nil)
    }
  }

  /// Stores the use of a token.
  private func use(
    _ secret: String, of token: BrowserToken, _ match: BrowserToken.Match, rotates: Bool,
    wall: Timestamp, now: ContinuousClock.Instant
  ) throws -> Found {
    let used = try update { tokens -> Found? in
      guard let index = tokens.firstIndex(where: { $0.id == token.id }) else { return nil }
      var renewed: String?
      if match == .next {
        tokens[index].promote(now: wall)
      } else if rotates || tokens[index].next != nil {
        renewed = tokens[index].rotate(secret)
      }
      tokens[index].recordUse(now: wall)
      let replaced = tokens[index].replaces
      tokens[index].confirm()
      let found = Found(token: tokens[index], renewed: renewed)
      if let replaced { tokens.removeAll { $0.id == replaced } }
      return found
    }
    if match == .next {
      state.withLock { state in
        state.previous = state.previous.filter { now < $0.value.ends }
        state.previous[token.hash] = (token.id, now + Self.grace)
      }
    }
    return used ?? Found(token: token, renewed: nil)
  }

  /// The token of a secret, and what the secret is to it; nil for one that was replaced a moment
  /// ago.
  private func match(
    _ secret: String, now: ContinuousClock.Instant
  ) throws -> (token: BrowserToken, match: BrowserToken.Match?)? {
    let key = BrowserToken.hash(of: secret)
    let tokens = try current()
    var found: (BrowserToken, BrowserToken.Match?)?
    // All of them, so that the time shows none.
    for token in tokens { if let match = token.match(key) { found = (token, match) } }
    if let found { return found }
    let id = state.withLock { state in
      state.previous[key].flatMap { now < $0.ends ? $0.id : nil }
    }
    return id.flatMap { id in tokens.first { $0.id == id } }.map { ($0, nil) }
  }

  /// Returns the token of a secret, without a use of it; nil for an unknown one.
  func peek(_ secret: String, now: ContinuousClock.Instant) throws -> BrowserToken? {
    try match(secret, now: now)?.token
  }

  /// Records what the first request of a term finds.
  func begin(_ token: BrowserToken, of login: Login, revocations: Int) throws -> BrowserToken {
    try update { tokens in
      guard let index = tokens.firstIndex(where: { $0.id == token.id }) else { return token }
      tokens[index].begin(login, revocations: revocations)
      return tokens[index]
    }
  }

  /// Ends a token, at the wish of its user.
  func end(_ secret: String, now: ContinuousClock.Instant) throws {
    guard let token = try match(secret, now: now)?.token else { return }
    try update { tokens in tokens.removeAll { $0.id == token.id || $0.replaces == token.id } }
    state.withLock { state in
      state.unlocks[token.id] = nil
      state.previous = state.previous.filter { $0.value.id != token.id }
    }
  }

  // MARK: The rights of command

  /// Whether the passphrase was given lately, so that the page shows what command sees.
  func hasView(_ token: BrowserToken, now: ContinuousClock.Instant) -> Bool {
    state.withLock { state in
      guard let unlock = state.unlocks[token.id], now - unlock.began < Self.longest,
        now - unlock.seen < Self.idle
      else { return false }
      state.unlocks[token.id]?.seen = now
      return true
    }
  }

  /// Whether the passphrase, or an act of command after it, was given lately.
  func isUnlocked(_ token: BrowserToken, now: ContinuousClock.Instant) -> Bool {
    state.withLock { state in
      guard let unlock = state.unlocks[token.id] else { return false }
      return now - unlock.began < Self.longest && now - unlock.acted < Self.idle
    }
  }

  func recordAct(_ token: BrowserToken, now: ContinuousClock.Instant) {
    state.withLock { $0.unlocks[token.id]?.acted = now }
  }

  // MARK: The file

  private func current() throws -> [BrowserToken] {
    let version = FileVersion(of: file.path)
    if let kept = state.withLock({ $0.kept }), kept.version == version { return kept.tokens }
    let tokens = try file.read()
    // A file that changes meanwhile has another version, and is read again.
    state.withLock { $0.kept = (version, tokens) }
    return tokens
  }

  private func update<Result>(_ change: (inout [BrowserToken]) throws -> Result) throws -> Result {
    defer { state.withLock { $0.kept = nil } }
    return try file.update(change)
  }
}
