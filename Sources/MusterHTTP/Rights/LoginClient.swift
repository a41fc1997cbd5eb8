/// A login that sends a request, and what it may do now. Once the request is admitted, it is
/// performed for a `Person`.
struct LoginClient: Sendable {
  let login: Login
  /// Whether its user is that of this node's device.
  let isOwner: Bool
  /// Why the login has expired; nil if it has not.
  let expiry: LoginStanding.Reason?
  /// Whether the passphrase was given lately, for writes of command.
  let isUnlocked: Bool
  /// The same for what command reads.
  let hasView: Bool

  /// - Parameter writes: whether the request writes.
  func kind(writes: Bool) -> ClientKind {
    guard expiry == nil else { return .helpOnly }
    return switch login.rights {
    case .observer: .observer
    case .member: .member
    case .command: (writes ? isUnlocked : hasView) ? .command : .lockedCommand
    }
  }

  /// Whether it has a person who reports by a route.
  func speaks(as speaker: RouteRights.Speaker, _ kind: ClientKind) -> Bool {
    switch speaker {
    case .person, .addressee: login.user != nil || login.isPhone
    case .position: isOwner || login.isPhone
    case .phone: login.isPhone || kind == .command && login.user != nil
    }
  }
}

extension RouteRights {
  /// Why a client without a login is refused.
  func refusal(of kind: ClientKind) -> Problem {
    switch kind {
    case .removed: .removed
    case .laptop, .node, .accessKey, .agency:
      Problem(.forbidden, reason ?? "this credential does not permit it")
    default: Problem(.unauthorized, "this needs a login, or the token of this machine")
    }
  }

  /// Returns why a login is refused; nil if it may use the route.
  func refusal(of client: LoginClient, as kind: ClientKind) -> Problem? {
    let extent = extents[kind]
    let mustSpeak = extent == .own ? speaker : nil
    if extent != nil, mustSpeak.map({ client.speaks(as: $0, kind) }) ?? true { return nil }
    if let reason = client.expiry { return .expired(reason) }
    if let reason { return Problem(.forbidden, reason) }
    return switch kind {
    case .member:
      Problem(
        .forbidden,
        "this login adds, and changes its own reports only: use a login of command")
    case .lockedCommand: .locked
    case .command: mustSpeak == .position ? .noPosition : .unbound(client.login.name)
    default: Problem(.forbidden, "an observer has read-only access: use a login of command")
    }
  }
}

extension Problem {
  /// The rights of command need the passphrase again.
  static let locked = Problem(
    .forbidden, "enter the passphrase again: this needs the rights of command", type: .locked)

  static let removed = Problem(
    .unauthorized, "this login was removed: it can only call for help", type: .loginRemoved)

  static func expired(_ reason: LoginStanding.Reason) -> Problem {
    let why =
      switch reason {
      case .termOver: "its term is over"
      case .changed: "its passphrase or its rights were changed"
      case .revoked: "this device was revoked"
      case .signedOff: "its person signed off"
      case .deviceRevoked: "a device of its person was revoked"
      }
    return Problem(
      .unauthorized,
      "this login has expired: \(why). Calls for help still arrive; log in, or ask "
        + "command to restore it", type: .loginExpired)
  }

  /// A login that is not bound to a person.
  static func unbound(_ login: String) -> Problem {
    Problem(
      .forbidden,
      "the login \(login) is not bound to a person: run muster login add \(login) --user CALLSIGN")
  }

  fileprivate static let noPosition = Problem(
    .forbidden,
    "this login has no position here: log in at the laptop of its person, or with a login that was "
      + "added with --phone")
}
