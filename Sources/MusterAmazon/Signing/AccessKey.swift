internal import Foundation
internal import MusterCrypto
internal import MusterInterchange
public import MusterModel

/// A key with which a program signs its requests. It belongs to a user, and works as long as that
/// user is signed on and no further device of theirs is revoked.
///
/// A signature is a keyed hash, so the secret itself is stored, in a file that only the node's user
/// can read. It is never printed, except once to the user who creates the key.
public struct AccessKey: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  /// What requests with the key may do, within the role of the node's device.
  public enum Rights: String, NamedCase, Comparable, Sendable {
    /// Reads.
    case observer
    /// Also sends positions, and creates trackers and collections.
    case member
    /// Also writes geofences.
    case command

    /// The lesser rights first.
    public static func < (left: Rights, right: Rights) -> Bool {
      allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
    }
  }

  /// The public name, which each request contains.
  public let id: String
  /// What signs the requests.
  public let secret: String
  /// The rights of the key.
  public let rights: Rights
  /// The user that it belongs to.
  public let user: UserID
  /// By this device's clock.
  public let createdAt: Timestamp
  /// How many devices of the user were revoked when it was created; 0 for one of an earlier
  /// program.
  public let revokedDevices: Int

  private static let idDigits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
  private static let randomDigits = 16
  private static let secretBytes = 30

  /// Creates a key with a new secret.
  ///
  /// - Parameter revokedDevices: how many devices of the user are revoked now.
  public init(rights: Rights, user: UserID, revokedDevices: Int, now: Timestamp) {
    let drawn = SystemRandom.seed().prefix(Self.randomDigits)
    id = "MSTR" + String(drawn.map { Self.idDigits[Int($0 & 31)] })
    secret = Data(SystemRandom.seed().prefix(Self.secretBytes)).base64EncodedString()
    self.rights = rights
    self.user = user
    createdAt = now
    self.revokedDevices = revokedDevices
  }

  init(
    id: String, secret: String, rights: Rights, user: UserID, createdAt: Timestamp,
    revokedDevices: Int
  ) {
    self.id = id
    self.secret = secret
    self.rights = rights
    self.user = user
    self.createdAt = createdAt
    self.revokedDevices = revokedDevices
  }

  /// The id, without the secret.
  public var description: String { id }
  /// Keeps the secret out of what `dump` and failed tests print.
  public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

extension AccessKey {
  /// The form in the file.
  var json: JSON {
    .object([
      "id": .string(id), "secret": .string(secret), "rights": .string(rights.rawValue),
      "user": .id(user), "createdAt": .time(createdAt),
      "revokedDevices": .count(revokedDevices),
    ])
  }

  /// Returns nil for malformed JSON.
  init?(_ json: JSON) {
    guard let members = json.members, let id = members["id"]?.word,
      let secret = members["secret"]?.word,
      let rights = members["rights"]?.word.flatMap(Rights.init(rawValue:)),
      let user = members["user"]?.word.flatMap({ UserID(hex: $0) }),
      let createdAt = members["createdAt"]?.word.flatMap({ Timestamp(rfc3339: $0) })
    else { return nil }
    var revokedDevices = 0
    if case .number(let digits)? = members["revokedDevices"] {
      guard let count = Int(digits), count >= 0 else { return nil }
      revokedDevices = count
    }
    self.init(
      id: id, secret: secret, rights: rights, user: user, createdAt: createdAt,
      revokedDevices: revokedDevices)
  }
}
