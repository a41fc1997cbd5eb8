internal import Foundation
public import MusterInterchange
public import MusterModel
internal import MusterNode

/// The tokens of browsers: a file of the home that only this user can read, by hash.
///
/// Tokens of removed logins stay, so that their users can call for help, unverified. A file that is
/// damaged has no tokens: the users log in again.
public struct BrowserTokenFile: Sendable {
  /// All tokens; of these, those of one login, and those of removed logins.
  static let (most, mostOfLogin, mostRemoved) = (1024, 128, 256)

  private let file: PrivateFile

  /// - Parameter folder: the home.
  public init(in folder: String) { file = PrivateFile(in: folder, name: "browsers.json") }

  var path: String { file.path }

  func read() throws -> [BrowserToken] {
    guard let data = try file.read() else { return [] }
    let json: JSON
    do { json = try JSON.read(Array(data)) } catch { return [] }
    return (json.elements ?? []).compactMap(BrowserToken.init)
  }

  /// Changes the tokens while no other process does. Writes nothing if nothing changes.
  func update<Result>(_ change: (inout [BrowserToken]) throws -> Result) throws -> Result {
    try file.withLock { try updateLocked(change) }
  }

  /// The same for a caller that holds the lock of the home.
  private func updateLocked<Result>(
    _ change: (inout [BrowserToken]) throws -> Result
  ) throws -> Result {
    let before = try read()
    var tokens = before
    let result = try change(&tokens)
    if tokens != before {
      try file.write(Data((JSON.array(tokens.map(\.json)).text + "\n").utf8))
    }
    return result
  }

  /// Records that a login was removed. The caller MUST hold the lock of the home.
  func markRemoved(_ login: String) throws {
    try updateLocked { tokens in
      for index in tokens.indices where tokens[index].login == login { tokens[index].markRemoved() }
      Self.makeRoom(in: &tokens)
    }
  }

  /// Drops tokens of full tables: of removed logins the oldest; of a login that has too many, and
  /// of the login that has the most, the one that was not used for longest.
  static func makeRoom(in tokens: inout [BrowserToken], for login: String? = nil) {
    func drop(where isCandidate: (BrowserToken) -> Bool) {
      let oldest = tokens.filter(isCandidate).min {
        ($0.replaces == nil ? 1 : 0, $0.usedAt.milliseconds)
          < ($1.replaces == nil ? 1 : 0, $1.usedAt.milliseconds)
      }
      tokens.removeAll { $0.id == oldest?.id }
    }
    while tokens.count(where: \.isRemoved) > mostRemoved { drop(where: \.isRemoved) }
    if let login {
      while tokens.count(where: { $0.login == login && !$0.isRemoved }) > mostOfLogin {
        drop { $0.login == login && !$0.isRemoved }
      }
    }
    while tokens.count > most {
      let counts = Dictionary(tokens.map { ($0.login, 1) }, uniquingKeysWith: +)
      let largest = counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
      drop { $0.login == largest }
    }
  }

  // MARK: For command

  /// A browser, as command sees it.
  public struct Device: Hashable, Sendable {
    /// Its name for `revoke` and `restore`.
    public let id: String
    /// The browser and its system, such as `Chrome on Android`.
    public let name: String
    /// When the user logged in.
    public let addedAt: Timestamp
    /// The last request, to a quarter of an hour.
    public let usedAt: Timestamp
    /// What it may do.
    public let standing: LoginStanding
  }

  /// Returns the browsers of a login, the last used first.
  ///
  /// - Parameter login: the login as it is now.
  public func devices(
    of login: Login, termSeconds: Int64, now: Timestamp
  ) throws -> [Device] {
    try devices(of: login) { $0.standing(of: login, termSeconds: termSeconds, now: now) }
  }

  func devices(
    of login: Login, _ standing: (BrowserToken) -> LoginStanding
  ) throws -> [Device] {
    try read().filter { $0.login == login.name && !$0.isRemoved }
      .sorted { ($1.usedAt, $0.id) < ($0.usedAt, $1.id) }
      .map {
        Device(
          id: $0.id, name: $0.device, addedAt: $0.addedAt, usedAt: $0.usedAt, standing: standing($0)
        )
      }
  }

  /// Revokes a browser of a login: it can only call for help. Throws `LoginFault` for an unknown
  /// one.
  public func revoke(_ id: String, of login: String) throws {
    try change(id, of: login) { $0.revoke() }
  }

  /// Gives a browser all rights of its login for a new term. Throws `LoginFault` for an unknown
  /// one.
  public func restore(_ id: String, of login: String, now: Timestamp) throws {
    try change(id, of: login) { $0.restore(now: now) }
  }

  private func change(
    _ id: String, of login: String, _ work: (inout BrowserToken) -> Void
  ) throws {
    try update { tokens in
      guard
        let index = tokens.firstIndex(where: {
          $0.id == id && $0.login == login && !$0.isRemoved
        })
      else { throw LoginFault("the login \(login) has no device \(id)") }
      work(&tokens[index])
    }
  }
}

extension BrowserTokenFile.Device {
  /// The browser as the command line and the API list it.
  public var json: JSON {
    .object([
      "id": .string(id), "name": .string(name), "addedAt": .time(addedAt),
      "usedAt": .time(usedAt), "standing": .string(standing.name),
      "reason": .known(standing.reason) { .string($0.rawValue) },
    ])
  }
}
