internal import MusterAmazon
internal import MusterHTTP
internal import MusterModel
internal import MusterNode

/// What a person may do at this node beside their devices: logins, with the invites and webhooks
/// that these made, and access keys.
struct PersonAccess {
  /// Why it is limited.
  enum Cause {
    case deviceRevoked
    case signedOff
  }

  private let logins: [Login]
  private let grants: [LoginGrant]
  private let keys: [AccessKey]

  /// Reads the files of a home.
  init(of user: UserID, in home: HomeOptions) throws {
    let file = LoginFile(in: home.folders.path)
    logins = try file.read().filter { $0.user == user }
    let names = Set(logins.map(\.name))
    grants = try file.grants.read().filter { names.contains($0.login) && $0.state == .open }
    keys = try AccessKeyFile(in: home.folders.path).read().filter { $0.user == user }
  }

  /// Prints what each may do from now on, and how to end or restore it.
  func state(_ cause: Cause) throws {
    for login in logins {
      try Standard.print(Self.line(of: SafeText.line(login.name), cause))
      for grant in grants where grant.login == login.name {
        try Standard.print(Self.line(of: grant))
      }
    }
    for key in keys { try Standard.print(Self.line(of: key, cause)) }
  }

  private static func line(of login: String, _ cause: Cause) -> String {
    switch cause {
    case .deviceRevoked:
      "Login \(login) only calls for help now, until its user logs in again or command restores "
        + "a browser: muster login devices \(login). To end it: muster login remove \(login)"
    case .signedOff:
      "Login \(login) only calls for help until the person is signed on again. To end it: "
        + "muster login remove \(login)"
    }
  }

  private static func line(of key: AccessKey, _ cause: Cause) -> String {
    switch cause {
    case .deviceRevoked:
      "Access key \(key.id) no longer works. To remove it: muster access-key revoke \(key.id)"
    case .signedOff:
      "Access key \(key.id) does not work until the person is signed on again. To end it: "
        + "muster access-key revoke \(key.id)"
    }
  }

  private static func line(of grant: LoginGrant) -> String {
    switch grant.kind {
    case .invite:
      "It made invite \(grant.id.prefix(8)) (\(grant.note)). To end it: "
        + "muster invite withdraw \(grant.id.prefix(8))"
    case .webhook:
      "It made webhook \(SafeText.line(grant.id)). To end it: "
        + "muster webhook remove \(SafeText.line(grant.id))"
    }
  }
}
