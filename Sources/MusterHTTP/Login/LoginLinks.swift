internal import Foundation
internal import MusterCrypto
internal import MusterModel
internal import Synchronization

/// The logins of a node, and the links by which their users set a passphrase on their own device.
///
///     page on the laptop ─▶ login without a passphrase, link ─ QR code ─▶ phone
///     phone ─ code of the link and a new passphrase ─▶ login with this passphrase, session
///
/// A link works once, for half an hour, and only while its login is unchanged. Links are in memory
/// only, by a hash of their code: a restart ends them.
final class LoginLinks: Sendable {
  /// A new link. Its code is stored nowhere.
  struct Link: Sendable {
    let url: String
    let expiresAt: Timestamp
  }

  private struct Pending {
    let login: Login
    let ends: ContinuousClock.Instant
  }

  private struct State {
    var address: String?
    var pending: [Bytes32: Pending] = [:]
  }

  static let validSeconds: Int64 = 1800
  private static let most = 64
  private static let codeBytes = 16

  /// The calls for help of the logins, by the clock of their phones.
  let claims = ClaimOrder()
  private let file: LoginFile
  /// How long a browser has all rights of its login.
  let termSeconds: Int64
  private let state = Mutex(State())

  init(file: LoginFile, termSeconds: Int64) {
    self.file = file
    self.termSeconds = termSeconds
  }

  /// The invites and webhooks that logins made.
  var grants: LoginGrantFile { file.grants }

  /// Records what a login makes, as `LoginFile` does.
  func record(_ grant: LoginGrant, over: Set<String>) throws {
    try file.record(grant, over: over)
  }

  /// The tokens of browsers.
  var browsers: BrowserTokenFile { file.browsers }

  /// Where other machines reach this node, such as `https://10.0.0.5:7443`; nil without a listener.
  func address() -> String? { state.withLock { $0.address } }

  /// Sets the address. Called when the listener runs.
  func serves(at address: String) { state.withLock { $0.address = address } }

  /// The versions of the files of logins and tokens, which other processes change too.
  func versions() -> [FileVersion?] {
    [FileVersion(of: file.path), FileVersion(of: browsers.path)]
  }

  /// Returns the logins by name.
  func all() throws -> [Login] { try file.read() }

  /// Adds a login that no passphrase opens yet. Throws `LoginFault` if there is one of this name.
  func add(_ login: Login) throws { try file.add(login, ifNew: true) }

  /// Removes a login. Throws `LoginFault` for an unknown name.
  func remove(_ name: String, asStolen: Bool) throws {
    try file.remove(name, asStolen: asStolen)
  }

  /// Creates a link for a login, which ends an earlier one. Returns nil without a listener.
  func link(to login: Login, now: ContinuousClock.Instant, wall: Timestamp) -> Link? {
    let code = Hex.encode(SystemRandom.seed().prefix(Self.codeBytes))
    let name = login.name.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
    return state.withLock { state in
      guard let address = state.address, let name else { return nil }
      state.pending = state.pending.filter {
        $0.value.login.name != login.name && now < $0.value.ends
      }
      if state.pending.count >= Self.most,
        let oldest = state.pending.min(by: { $0.value.ends < $1.value.ends })
      {
        state.pending[oldest.key] = nil
      }
      state.pending[Self.key(code)] = Pending(
        login: login, ends: now + .seconds(Self.validSeconds))
      return Link(
        url: "\(address)/#login=\(code)/\(name)",
        expiresAt: Timestamp(milliseconds: wall.milliseconds + Self.validSeconds * 1000))
    }
  }

  /// Returns the login of a code, which stays valid; nil as for `redeem`.
  func login(of code: String, named name: String, now: ContinuousClock.Instant) -> Login? {
    state.withLock { $0.pending[Self.key(code)] }.flatMap { pending in
      pending.login.name == name && now < pending.ends ? pending.login : nil
    }
  }

  /// Uses up a code. Returns its login; nil for an unknown or expired code, and for another name.
  func redeem(_ code: String, of name: String, now: ContinuousClock.Instant) -> Login? {
    let key = Self.key(code)
    return state.withLock { state in
      guard let pending = state.pending[key], pending.login.name == name else { return nil }
      state.pending[key] = nil
      return now < pending.ends ? pending.login : nil
    }
  }

  /// Gives a login its new passphrase. Returns false if it was changed or removed meanwhile.
  func replace(_ login: Login, by new: Login) throws -> Bool { try file.replace(login, by: new) }

  private static func key(_ code: String) -> Bytes32 { Blake2b.hash256(Array(code.utf8)) }
}
