internal import MusterCrypto
internal import MusterLocation
internal import MusterModel
internal import MusterNode

/// The clocks of the listener for logins.
struct LoginClock: Sendable {
  /// For the login throttle, write limits and what the passphrase confirms.
  let now: @Sendable () -> ContinuousClock.Instant
  /// For the terms of tokens.
  let wall: @Sendable () -> Timestamp
}

/// The logins of a node and the people that they report for.
struct LoginPeople: Sendable {
  let node: Node
  let logins: LoginFile
  private let tokens: BrowserTokens
  private let clock: LoginClock

  init(node: Node, logins: LoginFile, tokens: BrowserTokens, clock: LoginClock) {
    (self.node, self.logins, self.tokens, self.clock) = (node, logins, tokens, clock)
  }

  /// A value that stands for a login of the operation: a phone can keep it after a logout, since it
  /// contains no name.
  func id(of name: String) async throws -> String {
    let operation = try await node.operation()
    let hash = Blake2b.hash256(Array("muster login 1 \(operation) \(name)".utf8))
    return Hex.encode(hash.bytes.prefix(16))
  }

  /// The person that a login reports for.
  func user(of login: Login) async throws -> UserID? {
    guard login.isPhone else { return login.user }
    return try await node.carrier(named: login.name)
  }

  /// Whether a login belongs to the user of this node's device.
  func isOwner(_ login: Login) async throws -> Bool {
    guard let user = login.user else { return false }
    return try await node.user() == user
  }

  /// Lists the carrier of a login's phone: a person without a position can report too.
  func enlist(_ login: Login) async throws {
    do {
      try await node.enlistCarrier(named: login.name)
    } catch {
      throw Problem(refusing: error)
    }
  }

  /// Whose positions the tracker app of a login reports; nil for none of this node.
  func reporter(_ login: Login?) async throws -> TrackerResponder.Reporter? {
    guard let login else { return nil }
    if login.isPhone {
      return TrackerName(login.name, longestBytes: Limits.lineBytes).map { .carrier($0) }
    }
    return try await isOwner(login) ? .deviceUser : nil
  }

  /// Whether the person of a login signed off, and how many of their devices are revoked.
  func withdrawals(of login: Login) async throws -> (Bool, Int) {
    guard let user = try await user(of: login) else { return (false, 0) }
    return try await node.withdrawals(of: user)
  }

  // MARK: Tokens

  /// What a token permits now.
  func standing(
    of token: BrowserToken, _ login: Login?
  ) async throws -> (BrowserToken, LoginStanding) {
    let own = token.standing(of: login, termSeconds: tokens.termSeconds, now: clock.wall())
    guard own == .full, let login else { return (token, own) }
    let (hasSignedOff, revocations) = try await withdrawals(of: login)
    let known =
      token.isAwaitingFirst
      ? try tokens.begin(token, of: login, revocations: revocations) : token
    return (
      known,
      known.standing(
        of: login, termSeconds: tokens.termSeconds, now: clock.wall(), hasSignedOff: hasSignedOff,
        revocations: revocations)
    )
  }

  /// Whether the token of a secret still has all rights of its login.
  func hasAllRights(_ login: Login, _ secret: String) async -> Bool {
    do {
      guard try logins.read().contains(login),
        let token = try tokens.peek(secret, now: clock.now())
      else { return false }
      return try await standing(of: token, login).1 == .full
    } catch {
      return false
    }
  }
}
