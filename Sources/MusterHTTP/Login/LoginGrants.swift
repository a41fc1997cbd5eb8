internal import Foundation
internal import MusterInterchange
public import MusterModel
internal import MusterNode

/// What a login made that lasts beyond its sessions: an invite, or a webhook.
public struct LoginGrant: Hashable, Sendable {
  /// What it is.
  public enum Kind: String, NamedCase, Hashable, Sendable {
    case invite
    case webhook
  }

  /// Whether it still counts.
  public enum State: String, NamedCase, Hashable, Sendable {
    case open
    /// Its login was removed: an invite is withdrawn, and a webhook waits until it is confirmed.
    case ended
    /// Its login was removed as stolen: a webhook is removed too.
    case stolen
  }

  /// What it is.
  public let kind: Kind
  /// The id of the invite, or the name of the webhook.
  public let id: String
  /// The login that made it.
  public let login: String
  /// What it is for, such as the role of an invite; one line.
  public let note: String
  /// Whether it still counts.
  public internal(set) var state = State.open
}

/// The invites and webhooks that logins made: a file of the home that only this user can read. What
/// the node's own user makes is not in it.
///
/// `muster login remove` changes it, also while no node runs; the node follows it (`Programs`).
public struct LoginGrantFile: Sendable {
  /// All; of these, those of one login, and of these those that still work.
  static let (most, mostOfLogin, mostWorking) = (1024, 256, 64)

  private let file: PrivateFile

  /// - Parameter folder: the home.
  public init(in folder: String) { file = PrivateFile(in: folder, name: "login-grants.json") }

  var path: String { file.path }

  /// Returns them, oldest first. Throws if the file is damaged: what is in it must not go on.
  public func read() throws -> [LoginGrant] {
    guard let data = try file.read() else { return [] }
    let json = try JSON.read(Array(data))
    guard let grants = json.elements?.map(LoginGrant.init), !grants.contains(nil) else {
      throw LoginFault("\(file.path) is damaged: restore it, or delete it and check the webhooks")
    }
    return grants.compactMap(\.self)
  }

  /// Records what a login makes. Throws `LoginFault` if it has made as much as it may. The caller
  /// MUST hold the lock of the home.
  ///
  /// - Parameter over: the ids of invites by which no device can join any more.
  func record(_ grant: LoginGrant, over: Set<String>) throws {
    try updateLocked { grants in
      grants.removeAll { $0.kind == grant.kind && $0.id == grant.id }
      let own = grants.filter { $0.login == grant.login }
      guard own.count < Self.mostOfLogin,
        own.count(where: { $0.kind != .invite || !over.contains($0.id) }) < Self.mostWorking
      else {
        throw LoginFault(
          "the login \(grant.login) has made \(Self.mostWorking) invites and webhooks: withdraw or "
            + "remove some first")
      }
      guard grants.count < Self.most else {
        throw LoginFault(
          "logins have made \(Self.most) invites and webhooks: remove some first")
      }
      grants.append(grant)
    }
  }

  /// Forgets one: it has ended, or the node's own user confirmed it.
  func forget(_ kind: LoginGrant.Kind, _ id: String) throws {
    try update { $0.removeAll { $0.kind == kind && $0.id == id } }
  }

  /// Forgets invites that nothing came of and nothing can.
  func forgetInvites(_ ids: Set<String>) throws {
    guard !ids.isEmpty else { return }
    try update { $0.removeAll { $0.kind == .invite && ids.contains($0.id) } }
  }

  /// Ends what a login made, which is removed. The caller MUST hold the lock of the home.
  func end(ofLogin name: String, asStolen: Bool) throws -> [LoginGrant] {
    var ended: [LoginGrant] = []
    try updateLocked { grants in
      for index in grants.indices where grants[index].login == name {
        if grants[index].state != .stolen { grants[index].state = asStolen ? .stolen : .ended }
        ended.append(grants[index])
      }
    }
    return ended
  }

  private func update(_ change: (inout [LoginGrant]) throws -> Void) throws {
    try file.withLock { try updateLocked(change) }
  }

  private func updateLocked(_ change: (inout [LoginGrant]) throws -> Void) throws {
    let before = try read()
    var grants = before
    try change(&grants)
    guard grants != before else { return }
    try file.write(Data((JSON.array(grants.map(\.json)).text + "\n").utf8))
  }
}

extension LoginGrant {
  fileprivate var json: JSON {
    .object([
      "kind": .string(kind.rawValue), "id": .string(id), "login": .string(login),
      "note": .string(note), "state": .string(state.rawValue),
    ])
  }

  fileprivate init?(_ json: JSON) {
    guard let members = json.members, let kind = members["kind"]?.word.flatMap(Kind.init),
      let id = members["id"]?.word, let login = members["login"]?.word,
      let note = members["note"]?.word, let state = members["state"]?.word.flatMap(State.init)
    else { return nil }
    self.init(kind: kind, id: id, login: login, note: note, state: state)
  }
}

/// Ends the invites and webhooks of removed logins, as long as the node runs.
struct LoginGrantKeeper: Sendable {
  let file: LoginGrantFile
  let node: Node
  let webhooks: WebhookStore?

  private static let pause = Duration.seconds(1)

  /// Follows the file, which other processes change too, until it is cancelled.
  ///
  /// - Parameter onFault: receives each fault once.
  func run(onFault: @Sendable (String) -> Void) async {
    var seen: FileVersion?
    var fault: String?
    while !Task.isCancelled {
      let version = FileVersion(of: file.path)
      if version != seen {
        do {
          try await enforce()
          seen = FileVersion(of: file.path)
          fault = nil
        } catch {
          if fault != "\(error)" { onFault("\(error)") }
          fault = "\(error)"
        }
      }
      do { try await Task.sleep(for: Self.pause) } catch { return }
    }
  }

  /// Ends what was made by logins that are removed.
  func enforce() async throws {
    for grant in try file.read() where grant.state != .open {
      switch grant.kind {
      case .invite:
        // An unknown one is over too. Any other refusal, as of a full disk, is tried again.
        if case .refused(let reason, let kind) = await node.perform(.withdrawInvite(grant.id)),
          kind != .unknown
        {
          throw LoginFault("the invite \(grant.id.prefix(8)): \(reason)")
        }
        try file.forget(.invite, grant.id)
      case .webhook:
        // Unless it was made again meanwhile.
        guard grant.state == .stolen, try file.read().contains(grant) else { continue }
        if let webhooks, webhooks.entry(grant.id) != nil { try webhooks.remove(grant.id) }
        try file.forget(.webhook, grant.id)
      }
    }
  }
}

extension API {
  /// Nil without logins.
  var grantKeeper: LoginGrantKeeper? {
    logins.map { LoginGrantKeeper(file: $0.grants, node: node, webhooks: webhooks) }
  }
}
