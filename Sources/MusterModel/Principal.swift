/// The person or the login that a device wrote for: a login at a laptop writes through the laptop,
/// whose device signs (docs/decisions/0101-authorship.md).
///
/// A claim by the signing device. It gives no permission, and a display names both.
public enum Principal: Codable, Hashable, Sendable {
  /// The row of a user, or of a tracker.
  case person(UserID)
  /// The name of a login without a person, at the laptop whose device signed. It satisfies
  /// `accepts(login:)`.
  case login(String)

  /// The longest name of a login, in bytes of UTF-8.
  public static let longestLoginBytes = 64

  /// Whether a name can be that of a login: one line of at most `longestLoginBytes`.
  public static func accepts(login name: String) -> Bool {
    name.utf8.count <= longestLoginBytes && TextRule.line.accepts(name)
  }

  /// Creates a principal from the name of a login, of which at most the first `longestLoginBytes`
  /// are used. Nil for a name that begins with more blanks than that, or is not a line.
  public init?(login name: String) {
    var prefix = name
    while prefix.utf8.count > Self.longestLoginBytes { prefix.unicodeScalars.removeLast() }
    guard Self.accepts(login: prefix) else { return nil }
    self = .login(prefix)
  }
}

// MARK: Coding

extension Principal: Comparable {
  /// A code (1: 1 person, 2 login), then the id, or the name in UTF-8.
  public var encoded: [UInt8] {
    switch self {
    case .person(let user): [1] + user.bytes
    case .login(let name): [2] + Array(name.utf8)
    }
  }

  /// Reads what `encoded` returned. Nil for another code, a wrong width, or a name that is none.
  public init?(decoding bytes: some Collection<UInt8>) {
    let content = bytes.dropFirst()
    switch bytes.first {
    case 1:
      guard let user = Bytes16(content) else { return nil }
      self = .person(UserID(raw: user))
    case 2:
      guard content.count <= Self.longestLoginBytes,
        let name = String(validating: content, as: UTF8.self), Self.accepts(login: name)
      else { return nil }
      self = .login(name)
    default: return nil
    }
  }

  /// The order of the encodings.
  public static func < (left: Principal, right: Principal) -> Bool {
    left.encoded.lexicographicallyPrecedes(right.encoded)
  }
}

extension ByteWriter {
  /// Appends the encoding of a principal with its length (1).
  public mutating func append(_ principal: Principal) {
    let bytes = principal.encoded
    append(UInt8(bytes.count))
    append(fixed: bytes)
  }
}

extension ByteReader {
  /// Reads a principal with its length.
  public mutating func principal() throws(DecodingFault) -> Principal {
    let count = Int(try integer(UInt8.self))
    guard let principal = Principal(decoding: try fixed(count)) else {
      throw .invalid("principal")
    }
    return principal
  }
}
