internal import MusterCrypto
internal import MusterModel
internal import Synchronization

/// The sessions, by a secret in the user's browser. Only hashes of the secrets are stored here.
///
/// A secret is valid for a quarter of an hour; the next request then renews it, and the old one
/// stays valid for another minute, for concurrent requests. A session ends after twelve hours, or
/// after half an hour without a request.
final class Sessions: Sendable {
  struct Session: Sendable {
    /// As it was when the session began. A login that was replaced since is another one.
    let login: Login
    /// Its first secret, by hash: the later ones replace it.
    fileprivate let first: Bytes32
    fileprivate var renewed: ContinuousClock.Instant
    fileprivate var used: ContinuousClock.Instant
    fileprivate var ends: ContinuousClock.Instant
  }

  static let longest = Duration.seconds(12 * 3600)
  static let idle = Duration.seconds(30 * 60)
  static let rotation = Duration.seconds(15 * 60)
  static let grace = Duration.seconds(60)
  static let most = 512

  private let open = Mutex<[Bytes32: Session]>([:])

  /// Starts a session and returns its secret.
  func begin(_ login: Login, now: ContinuousClock.Instant) -> String {
    let secret = Self.newSecret()
    insert(
      Session(
        login: login, first: Self.key(secret), renewed: now, used: now, ends: now + Self.longest),
      as: secret, now: now)
    return secret
  }

  /// Returns the session of a secret, and a new secret if it is due for renewal.
  func find(
    _ secret: String, now: ContinuousClock.Instant
  ) -> (session: Session, renewed: String?)? {
    let key = Self.key(secret)
    let found = open.withLock { open -> (Session, isDue: Bool)? in
      guard var session = open[key] else { return nil }
      guard now < session.ends, now - session.used < Self.idle else {
        open[key] = nil
        return nil
      }
      session.used = now
      let isDue = now - session.renewed >= Self.rotation
      open[key] = session
      if isDue {
        // Only once: from here on it only expires.
        open[key]?.renewed = session.ends
        open[key]?.ends = min(session.ends, now + Self.grace)
      }
      return (session, isDue)
    }
    guard let (session, isDue) = found else { return nil }
    guard isDue else { return (session, nil) }
    var next = session
    next.renewed = now
    let renewed = Self.newSecret()
    insert(next, as: renewed, now: now)
    return (session, renewed)
  }

  /// Whether a secret is still valid; this check does not extend it.
  func holds(_ secret: String, now: ContinuousClock.Instant) -> Bool {
    open.withLock { open in
      guard let session = open[Self.key(secret)] else { return false }
      return now < session.ends && now - session.used < Self.idle
    }
  }

  /// Ends a session: none of its secrets is valid any more, neither one that was replaced in the
  /// last minute nor one that replaced this one.
  func end(_ secret: String) {
    open.withLock { open in
      guard let session = open[Self.key(secret)] else { return }
      open = open.filter { $0.value.first != session.first }
    }
  }

  private static func newSecret() -> String { Hex.encode(SystemRandom.seed()) }

  private func insert(_ session: Session, as secret: String, now: ContinuousClock.Instant) {
    open.withLock { open in
      open = open.filter { now < $0.value.ends && now - $0.value.used < Self.idle }
      if open.count >= Self.most { Self.makeRoom(in: &open) }
      open[Self.key(secret)] = session
    }
  }

  /// Ends the oldest session of the login that has the most: a flood ends its own.
  private static func makeRoom(in open: inout [Bytes32: Session]) {
    let counts = Dictionary(open.values.map { ($0.login.name, 1) }, uniquingKeysWith: +)
    let oldest = open.max {
      let (a, b) = ($0.value, $1.value)
      let (first, second) = (counts[a.login.name] ?? 0, counts[b.login.name] ?? 0)
      return first != second ? first < second : a.used > b.used
    }
    if let oldest { open[oldest.key] = nil }
  }

  private static func key(_ secret: String) -> Bytes32 { Blake2b.hash256(Array(secret.utf8)) }
}
