internal import Foundation
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// The logins of a node: a file of its home that only this user can read, without passphrases. The
/// node reads it at each request, so that removing a login takes effect at once.
public struct LoginFile: Sendable {
  static let most = 256
  private let file: PrivateFile
  /// The tokens of the logins' browsers.
  public let browsers: BrowserTokenFile
  /// The invites and webhooks that logins made.
  public let grants: LoginGrantFile
  /// The addresses of tracker apps that are no longer valid.
  let formerPhones: FormerPhones

  /// - Parameter folder: the home.
  public init(in folder: String) {
    file = PrivateFile(in: folder, name: "logins.json")
    browsers = BrowserTokenFile(in: folder)
    grants = LoginGrantFile(in: folder)
    formerPhones = FormerPhones(in: folder)
  }

  var path: String { file.path }

  /// Returns the logins by name; none without a file.
  public func read() throws -> [Login] {
    guard let data = try file.read() else { return [] }
    let json = try JSON.read(Array(data))
    guard let logins = json.elements?.map(Login.init), !logins.contains(nil) else {
      throw LoginFault("\(file.path) is damaged: restore it, or delete it and add the logins again")
    }
    return logins.compactMap(\.self)
  }

  /// Adds a login, or replaces the one with this name.
  public func add(_ login: Login) throws { try add(login, ifNew: false) }

  func add(_ login: Login, ifNew: Bool) throws {
    if let fault = TextRule.line.fault(in: login.name) { throw LoginFault("the name \(fault)") }
    try file.withLock {
      let all = try read()
      var logins = all.filter { $0.name != login.name }
      guard !ifNew || logins.count == all.count else {
        throw LoginFault("there is a login \(login.name): remove it, or use another name")
      }
      guard logins.count < Self.most else {
        throw LoginFault("too many logins: remove one first")
      }
      logins.append(login)
      try write(logins.sorted { $0.name < $1.name })
    }
  }

  /// Removes a login. Its browsers keep one unverified call for help. Returns what it made, which
  /// ends: invites are withdrawn, and webhooks wait until they are confirmed.
  ///
  /// - Parameter asStolen: whether its webhooks are removed too.
  @discardableResult
  public func remove(_ name: String, asStolen: Bool = false) throws -> [LoginGrant] {
    try file.withLock {
      let logins = try read()
      guard logins.contains(where: { $0.name == name }) else {
        throw LoginFault("there is no login \(name)")
      }
      // First: a new login of this name MUST NOT receive the browsers of this one.
      try browsers.markRemoved(name)
      let ended = try grants.end(ofLogin: name, asStolen: asStolen)
      try write(logins.filter { $0.name != name })
      return ended
    }
  }

  /// Records what a login makes. Throws `LoginFault` if the login was removed, or has made
  /// as much as it may.
  ///
  /// - Parameter over: the ids of invites by which no device can join any more.
  func record(_ grant: LoginGrant, over: Set<String> = []) throws {
    try file.withLock {
      guard try read().contains(where: { $0.name == grant.login }) else {
        throw LoginFault("the login \(grant.login) was removed")
      }
      try grants.record(grant, over: over)
    }
  }

  /// Replaces a login. Returns false if it was changed or removed meanwhile.
  func replace(_ login: Login, by new: Login) throws -> Bool {
    try file.withLock {
      let logins = try read()
      guard logins.contains(login) else { return false }
      try write(logins.map { $0 == login ? new : $0 })
      return true
    }
  }

  /// The caller MUST hold the lock of the home.
  private func write(_ logins: [Login]) throws {
    let valid = Set(logins.map(\.phoneSecret))
    for login in try read() where !valid.contains(login.phoneSecret) {
      try formerPhones.record(login)
    }
    try file.write(Data((JSON.array(logins.map(\.json)).text + "\n").utf8))
  }
}

/// Why a change of the logins failed, in one line.
public struct LoginFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// One line for the user.
  public let description: String

  init(_ description: String) { self.description = description }
}
