internal import MusterCrypto
public import MusterInterchange
public import MusterModel

/// A login for remote access with a passphrase, and its rights.
public struct Login: Hashable, Sendable, Redacted {
  /// The rights of a login.
  public enum Rights: String, NamedCase, Hashable, Sendable {
    /// All rights of the node's own device.
    case command
    /// Reads, and adds: reports, photos, comments and confirmations. Changes and deletes nothing,
    /// and speaks for its own person only.
    case member
    /// Reads, and speaks for its own person.
    case observer
  }

  /// The name, also in the audit log.
  public let name: String
  /// The rights.
  public let rights: Rights
  /// The user that it reports for; nil for none.
  public let user: UserID?
  /// Whether it is for the phone of a person without a laptop, who is listed as a tracker of this
  /// device under the login's name.
  public let isPhone: Bool
  private let salt: [UInt8]
  private let cost: PasswordCost
  /// A hash of the key that is derived from the passphrase.
  private let proof: [UInt8]

  /// The fewest characters of a passphrase: a login is reachable from the internet.
  public static let fewestCharacters = 12

  /// Derives the key, which takes about a tenth of a second and 64 MiB. Throws `LoginFault` for a
  /// passphrase of fewer than `fewestCharacters` characters.
  public init(
    name: String, rights: Rights, user: UserID? = nil, isPhone: Bool = false, passphrase: [UInt8]
  ) throws {
    try Self.check(passphrase)
    try self.init(
      name: name, rights: rights, user: user, isPhone: isPhone, passphrase: passphrase,
      cost: .interactive)
  }

  /// Throws `LoginFault` for a passphrase of fewer than `fewestCharacters` characters.
  static func check(_ passphrase: [UInt8]) throws(LoginFault) {
    let count = String(decoding: passphrase, as: UTF8.self).count
    guard count >= Self.fewestCharacters else {
      throw LoginFault(
        "the passphrase has \(count) characters: use at least \(Self.fewestCharacters), such as "
          + "five random words, because the login is reachable from the internet")
    }
  }

  init(
    name: String, rights: Rights, user: UserID? = nil, isPhone: Bool = false,
    passphrase: [UInt8], cost: PasswordCost
  ) throws {
    self.name = name
    self.rights = rights
    self.user = user
    self.isPhone = isPhone
    self.cost = cost
    salt = Array(SystemRandom.seed().prefix(PasswordHash.saltBytes))
    proof = try Self.proof(of: passphrase, salt, cost)
  }

  /// A login that no passphrase opens, until its user sets one by a link.
  init(unopened name: String, rights: Rights, user: UserID? = nil, isPhone: Bool = false) {
    self.name = name
    self.rights = rights
    self.user = user
    self.isPhone = isPhone
    cost = .interactive
    salt = Array(SystemRandom.seed().prefix(PasswordHash.saltBytes))
    proof = Array(SystemRandom.seed())
  }

  /// The same login with another passphrase. Throws and takes time as the other initializer.
  func with(passphrase: [UInt8]) throws -> Login {
    try Login(name: name, rights: rights, user: user, isPhone: isPhone, passphrase: passphrase)
  }

  /// Whether the passphrase is correct. Takes the same time in both cases.
  func accepts(_ passphrase: [UInt8]) throws -> Bool {
    let given = try Self.proof(of: passphrase, salt, cost)
    var difference: UInt8 = 0
    for (left, right) in zip(given, proof) { difference |= left ^ right }
    return difference == 0 && given.count == proof.count
  }

  /// The secret in the address to which the tracker app of the login's person reports; nil for a
  /// login without a person. A new passphrase gives a new one.
  var phoneSecret: String? {
    guard isPhone || user != nil else { return nil }
    return Hex.encode(Blake2b.hash256(Array("muster phone 1".utf8), proof).prefix.bytes)
  }

  /// Identifies the login as it is: another passphrase, or other rights, give another one.
  var hash: Bytes32 {
    let owner = user.map { "\($0)" } ?? (isPhone ? "phone" : "")
    return Blake2b.hash256(
      Array("muster login identity 1 \(rights.rawValue) \(owner) \(name) ".utf8), salt, proof)
  }

  private static func proof(
    of passphrase: [UInt8], _ salt: [UInt8], _ cost: PasswordCost
  ) throws -> [UInt8] {
    let key = try PasswordHash.deriveKey(passphrase: passphrase, salt: salt, cost: cost)
    return Blake2b.hash256(Array("muster login 1".utf8), key.export()).bytes
  }
}

extension Login {
  /// The login as the command line and the API list it.
  ///
  /// - Parameter callsign: the callsign of its user; nil if it is not known.
  public func listed(as callsign: String?) -> JSON {
    .object([
      "name": .string(name), "rights": .string(rights.rawValue), "user": .known(user, JSON.id),
      "callsign": .known(callsign, JSON.string), "phone": .bool(isPhone),
    ])
  }
}

// MARK: - The file

extension Login {
  var json: JSON {
    .object(
      [
        "name": .string(name), "rights": .string(rights.rawValue),
        "salt": .string(Hex.encode(salt)), "passes": .count(cost.passes),
        "memoryBytes": .count(cost.memoryBytes), "proof": .string(Hex.encode(proof)),
        "user": .known(user, JSON.id),
      ].merging(isPhone ? ["phone": .bool(true)] : [:]) { $1 })
  }

  /// Returns nil for malformed JSON.
  init?(_ json: JSON) {
    guard let members = json.members, let name = members["name"]?.word,
      let rights = members["rights"]?.word.flatMap(Rights.init(rawValue:)),
      let salt = members["salt"]?.word.flatMap({ Hex.decode($0) }),
      let proof = members["proof"]?.word.flatMap({ Hex.decode($0) }),
      case .number(let passes)? = members["passes"],
      case .number(let bytes)? = members["memoryBytes"],
      let cost = PasswordCost(passes: Int(passes) ?? 0, memoryBytes: Int(bytes) ?? 0)
    else { return nil }
    var user: UserID?
    switch members["user"] {
    // Files of earlier builds name no user.
    case nil, .null?: break
    case let given?:
      guard let bound = given.word.flatMap({ UserID(hex: $0) }) else { return nil }
      user = bound
    }
    self.name = name
    self.rights = rights
    self.user = user
    isPhone = members["phone"] == .bool(true)
    self.salt = salt
    self.cost = cost
    self.proof = proof
  }
}
