internal import Foundation
internal import MusterCrypto
public import MusterInterchange
public import MusterModel

/// The token of one browser for one login, as the home stores it: by hash.
///
///     log in ─▶ token ─ in use for half a day ─▶ token and next ─ next was used ─▶ next alone
///
/// The next token is derived from the token and a random salt. Each request that states the token
/// therefore returns the same next one, and a lost answer loses nothing.
struct BrowserToken: Hashable, Sendable, Redacted {
  /// The name of the token for command, which is no secret.
  let id: String
  /// The name of its login.
  let login: String
  /// The browser and its system, such as `Chrome on Android`.
  let device: String
  /// When the user logged in.
  let addedAt: Timestamp
  /// The login as it was when the token was issued or restored. Nil after a restoration by another
  /// process, until the next request.
  private(set) var loginHash: Bytes32?
  private(set) var hash: Bytes32
  private(set) var next: Next?
  /// When `hash` became valid.
  private(set) var rotatedAt: Timestamp
  /// The last request, to a quarter of an hour.
  private(set) var usedAt: Timestamp
  /// The start of the term.
  private(set) var renewedAt: Timestamp
  /// How many devices of the login's person were revoked at the start of the term; nil until the
  /// first request of the term.
  private(set) var knownRevocations: Int?
  private(set) var isRevoked = false
  /// Whether the login was removed.
  private(set) var isRemoved = false
  /// The token of the same browser that this one replaces once it is used; nil for none.
  private(set) var replaces: String?

  /// The token after this one.
  struct Next: Hashable, Sendable {
    let hash: Bytes32
    let salt: Bytes32
  }

  /// What a secret is to a token.
  enum Match: Sendable {
    case current
    case next
  }

  static let rotationMilliseconds: Int64 = 12 * 3600 * 1000
  private static let useMilliseconds: Int64 = 15 * 60 * 1000

  /// A token that was issued now.
  init(
    _ secret: String, of login: Login, device: String, replaces: String?, revocations: Int?,
    now: Timestamp
  ) {
    id = Hex.encode(SystemRandom.seed().prefix(4))
    self.login = login.name
    self.device = device
    self.replaces = replaces
    hash = Self.hash(of: secret)
    loginHash = login.hash
    knownRevocations = revocations
    (addedAt, rotatedAt, usedAt, renewedAt) = (now, now, now, now)
  }

  /// Compares in constant time.
  func match(_ secret: Bytes32) -> Match? {
    let isCurrent = Self.isSame(hash, secret)
    let isNext = Self.isSame(next?.hash ?? secret, secret) && next != nil
    return isCurrent ? .current : isNext ? .next : nil
  }

  private static func isSame(_ left: Bytes32, _ right: Bytes32) -> Bool {
    zip(left.bytes, right.bytes).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }

  static func hash(of secret: String) -> Bytes32 { Blake2b.hash256(Array(secret.utf8)) }

  // MARK: Changes

  /// Whether the next request with the current secret rotates the token.
  func isRotationDue(now: Timestamp) -> Bool {
    now.milliseconds - rotatedAt.milliseconds >= Self.rotationMilliseconds
  }

  /// Whether the time of use is too old to stand in the file.
  func isUseDue(now: Timestamp) -> Bool {
    abs(now.milliseconds - usedAt.milliseconds) >= Self.useMilliseconds
  }

  mutating func recordUse(now: Timestamp) { usedAt = now }

  /// Creates the next token, if there is none. Returns its secret.
  ///
  /// - Parameter secret: the current one.
  mutating func rotate(_ secret: String) -> String {
    let salt = next?.salt ?? Bytes32(SystemRandom.seed()) ?? hash
    let new = Self.derive(secret, salt)
    next = Next(hash: Self.hash(of: new), salt: salt)
    return new
  }

  /// Returns the secret of the next token; nil if there is none.
  func nextSecret(after secret: String) -> String? { next.map { Self.derive(secret, $0.salt) } }

  private static func derive(_ secret: String, _ salt: Bytes32) -> String {
    Hex.encode(Blake2b.hash256(Array("muster browser token 1 \(secret)".utf8), salt.bytes).bytes)
  }

  /// Ends the secret before the next one, which was used.
  mutating func promote(now: Timestamp) {
    guard let next else { return }
    (hash, self.next, rotatedAt) = (next.hash, nil, now)
  }

  /// Records that the token was used: the one that it replaces is over.
  mutating func confirm() { replaces = nil }

  mutating func revoke() { isRevoked = true }

  mutating func markRemoved() { isRemoved = true }

  /// Starts a new term.
  mutating func restore(now: Timestamp) {
    (renewedAt, isRevoked, knownRevocations, loginHash) = (now, false, nil, nil)
  }

  /// Records what the first request of a term finds.
  mutating func begin(_ login: Login, revocations: Int) {
    loginHash = loginHash ?? login.hash
    knownRevocations = knownRevocations ?? revocations
  }

  /// Whether the first request of the term is due.
  var isAwaitingFirst: Bool { loginHash == nil || knownRevocations == nil }

  // MARK: Standing

  /// What the token permits, as far as the home knows.
  ///
  /// - Parameters:
  ///   - login: the login of its name; nil for none.
  ///   - termSeconds: how long a token has all rights of its login.
  func standing(of login: Login?, termSeconds: Int64, now: Timestamp) -> LoginStanding {
    guard !isRemoved, let login else { return .removed }
    if isRevoked { return .helpOnly(.revoked) }
    if let loginHash, loginHash != login.hash { return .helpOnly(.changed) }
    let age = now.milliseconds - renewedAt.milliseconds
    return age < termSeconds * 1000 ? .full : .helpOnly(.termOver)
  }

  /// The same, with what the node knows of the login's person.
  func standing(
    of login: Login?, termSeconds: Int64, now: Timestamp, hasSignedOff: Bool, revocations: Int
  ) -> LoginStanding {
    let own = standing(of: login, termSeconds: termSeconds, now: now)
    guard own == .full else { return own }
    if hasSignedOff { return .helpOnly(.signedOff) }
    return revocations > knownRevocations ?? revocations ? .helpOnly(.deviceRevoked) : .full
  }
}

/// What a browser may do by its token.
public enum LoginStanding: Hashable, Sendable {
  /// All that its login may do. A login with the rights of command confirms them by the passphrase.
  case full
  /// Calls for help, their cancellation, and the person's position.
  case helpOnly(Reason)
  /// One unverified call for help.
  case removed

  /// Why a login has expired.
  public enum Reason: String, NamedCase, Hashable, Sendable {
    /// The term is over.
    case termOver
    /// The login has another passphrase or other rights.
    case changed
    /// Command revoked this browser.
    case revoked
    /// The person signed off.
    case signedOff
    /// A device of the person was revoked.
    case deviceRevoked
  }

  /// The name in the API.
  public var name: String {
    switch self {
    case .full: "full"
    case .helpOnly: "helpOnly"
    case .removed: "removed"
    }
  }

  /// Why it is not full; nil if it is, or if the login was removed.
  public var reason: Reason? { if case .helpOnly(let reason) = self { reason } else { nil } }
}

// MARK: - The file

extension BrowserToken {
  var json: JSON {
    .object([
      "id": .string(id), "login": .string(login), "device": .string(device),
      "hash": .string(Hex.encode(hash.bytes)),
      "next": .known(next) { .string(Hex.encode($0.hash.bytes)) },
      "salt": .known(next) { .string(Hex.encode($0.salt.bytes)) },
      "loginHash": .known(loginHash) { .string(Hex.encode($0.bytes)) },
      "addedAt": .time(addedAt), "rotatedAt": .time(rotatedAt), "usedAt": .time(usedAt),
      "renewedAt": .time(renewedAt), "knownRevocations": .known(knownRevocations, JSON.count),
      "revoked": .bool(isRevoked), "removed": .bool(isRemoved),
      "replaces": .known(replaces, JSON.string),
    ])
  }

  /// Returns nil for malformed JSON.
  init?(_ json: JSON) {
    guard let members = json.members, let id = members["id"]?.word,
      let login = members["login"]?.word, let device = members["device"]?.word,
      let hash = Self.bytes(members["hash"]), let addedAt = Self.time(members["addedAt"]),
      let rotatedAt = Self.time(members["rotatedAt"]), let usedAt = Self.time(members["usedAt"]),
      let renewedAt = Self.time(members["renewedAt"])
    else { return nil }
    (self.id, self.login, self.device, self.hash) = (id, login, device, hash)
    (self.addedAt, self.rotatedAt) = (addedAt, rotatedAt)
    (self.usedAt, self.renewedAt) = (usedAt, renewedAt)
    if let next = Self.bytes(members["next"]), let salt = Self.bytes(members["salt"]) {
      self.next = Next(hash: next, salt: salt)
    }
    loginHash = Self.bytes(members["loginHash"])
    if case .number(let count)? = members["knownRevocations"] { knownRevocations = Int(count) }
    isRevoked = members["revoked"] == .bool(true)
    isRemoved = members["removed"] == .bool(true)
    replaces = members["replaces"]?.word
  }

  private static func bytes(_ json: JSON?) -> Bytes32? {
    json?.word.flatMap { Hex.decode($0) }.flatMap { Bytes32($0) }
  }

  private static func time(_ json: JSON?) -> Timestamp? {
    json?.word.flatMap { Timestamp(rfc3339: $0) }
  }
}
