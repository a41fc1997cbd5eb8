internal import MusterCrypto
internal import MusterInterchange
public import MusterModel

/// Somebody who may come in from other machines with a passphrase, and what they may do.
public struct Login: Hashable, Sendable {
  /// What they may do.
  public enum Rights: String, CaseIterable, Hashable, Sendable {
    /// All that the node's own device may do.
    case command
    /// Reads.
    case observer
  }

  /// What they are called, in the audit log too.
  public let name: String
  /// What they may do.
  public let rights: Rights
  /// The person for whom it speaks; nil for nobody.
  public let user: UserID?
  private let salt: [UInt8]
  private let cost: PasswordCost
  /// A hash of the key that the passphrase makes.
  private let proof: [UInt8]

  /// Takes about a tenth of a second and 64 MiB.
  public init(name: String, rights: Rights, user: UserID? = nil, passphrase: [UInt8]) throws {
    try self.init(
      name: name, rights: rights, user: user, passphrase: passphrase, cost: .interactive)
  }

  init(
    name: String, rights: Rights, user: UserID? = nil, passphrase: [UInt8], cost: PasswordCost
  ) throws {
    self.name = name
    self.rights = rights
    self.user = user
    self.cost = cost
    salt = Array(SystemRandom.seed().prefix(PasswordHash.saltBytes))
    proof = try Self.proof(of: passphrase, salt, cost)
  }

  /// Takes as long whether it is right or not.
  func accepts(_ passphrase: [UInt8]) throws -> Bool {
    let given = try Self.proof(of: passphrase, salt, cost)
    var difference: UInt8 = 0
    for (left, right) in zip(given, proof) { difference |= left ^ right }
    return difference == 0 && given.count == proof.count
  }

  private static func proof(
    of passphrase: [UInt8], _ salt: [UInt8], _ cost: PasswordCost
  ) throws -> [UInt8] {
    let key = try PasswordHash.deriveKey(passphrase: passphrase, salt: salt, cost: cost)
    return Blake2b.hash256(Array("muster login 1".utf8), key.export()).bytes
  }
}

extension Login {
  var json: JSON {
    .object([
      "name": .string(name), "rights": .string(rights.rawValue),
      "salt": .string(Hex.encode(salt)), "passes": .count(cost.passes),
      "memoryBytes": .count(cost.memoryBytes), "proof": .string(Hex.encode(proof)),
      "user": .known(user, JSON.id),
    ])
  }

  /// Nil for what is none.
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
    // Files of builds before this one name nobody.
    case nil, .null?: break
    case let given?:
      guard let bound = given.word.flatMap({ UserID(hex: $0) }) else { return nil }
      user = bound
    }
    self.name = name
    self.rights = rights
    self.user = user
    self.salt = salt
    self.cost = cost
    self.proof = proof
  }
}
