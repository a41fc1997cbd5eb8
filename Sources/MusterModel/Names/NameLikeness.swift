/// How a name looks: two names are alike if a person may take one for the other.
///
/// Names are compared by skeleton, as in UTS #39: characters that look alike, their compatibility
/// forms and the digits of all scripts become one character each (`LookalikeTable`); case, blanks,
/// invisible characters and marks of `ShownName` do not count. `I`, `l` and `1` are one character,
/// so are `O` and `0`, and `rn` is `m`.
///
/// A capital may look like another letter than its small form, as Greek `Ν` and `ν`: a name has a
/// skeleton as it is written, and one in small letters.
///
/// For warnings, and for commands that take a name. It decides about no permission and no merge.
public struct NameLikeness: Hashable, Sendable {
  /// As it is written. Strings compare by canonical equivalence.
  private let written: String
  /// In small letters.
  private let small: String

  /// Makes the skeletons of a name.
  public init(_ name: String) {
    if let ascii = Self.skeleton(ofASCII: name) {
      self.init(written: ascii, small: ascii)
    } else {
      self.init(anyScript: name)
    }
  }

  private init(written: String, small: String) {
    self.written = written
    self.small = small
  }

  /// The same without the shorter way for ASCII.
  init(anyScript name: String) {
    self.init(written: Self.skeleton(of: name), small: Self.skeleton(of: name.lowercased()))
  }

  /// The different skeletons.
  public var skeletons: [String] { written == small ? [written] : [written, small] }

  /// Whether two names are alike.
  public func isLike(_ other: NameLikeness) -> Bool {
    !Set(skeletons).isDisjoint(with: other.skeletons)
  }

  /// The name, if it looks like the first digits of an id: a prefix of the id's `skeleton(ofID:)`.
  public var digits: String? {
    written.unicodeScalars.count >= IdentifierPrefix.leastDigits
      && written.unicodeScalars.allSatisfy(Self.digits.contains) ? written : nil
  }

  /// How the digits of an id look.
  public static func skeleton(ofID id: some CustomStringConvertible) -> String {
    skeleton(ofASCII: id.description) ?? skeleton(of: id.description)
  }

  /// Whether the name looks like the first digits of an id.
  public func isLike(id: some CustomStringConvertible) -> Bool {
    digits.map(Self.skeleton(ofID: id).hasPrefix) ?? false
  }

  /// The role whose name it looks like; nil for none.
  public var role: Role? {
    Self.roles.first { word, _ in isLike(word) }?.role
  }

  private static let digits = Set(skeleton(of: "0123456789abcdef").unicodeScalars)

  private static let roles: [(word: NameLikeness, role: Role)] = {
    let words = Role.allCases.map { ($0.name, $0) }
    let others: [(String, Role)] = [
      ("command post", .command), ("commander", .command), ("the command", .command),
      ("members", .member),
    ]
    return (words + others).map { (NameLikeness($0.0), $0.1) }
  }()

  // MARK: Skeletons

  /// Returns nil for a name with other characters.
  private static func skeleton(ofASCII name: String) -> String? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(name.utf8.count)
    for byte in name.utf8 {
      guard byte < 0x80 else { return nil }
      guard byte > 0x20, byte < 0x7F else { continue }
      let small = (0x41...0x5A).contains(byte) ? byte + 0x20 : byte
      switch small {
      case UInt8(ascii: "l"), UInt8(ascii: "1"), UInt8(ascii: "|"): bytes.append(UInt8(ascii: "i"))
      case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "o"))
      case UInt8(ascii: "`"): bytes.append(UInt8(ascii: "'"))
      case UInt8(ascii: "n") where bytes.last == UInt8(ascii: "r"):
        bytes[bytes.count - 1] = UInt8(ascii: "m")
      default: bytes.append(small)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func skeleton(of name: String) -> String {
    var skeleton = String.UnicodeScalarView()
    for scalar in name.unicodeScalars where !isIgnored(scalar) {
      if let target = LookalikeTable.target(of: scalar) {
        skeleton.append(contentsOf: target.unicodeScalars)
        continue
      }
      for small in scalar.properties.lowercaseMapping.unicodeScalars where !isIgnored(small) {
        let target = LookalikeTable.target(of: small) ?? String(Character(small))
        skeleton.append(contentsOf: target.unicodeScalars)
      }
    }
    return joined(skeleton)
  }

  /// Blanks, invisible characters, control characters and marks do not count.
  private static func isIgnored(_ scalar: Unicode.Scalar) -> Bool {
    scalar == ShownName.mark || scalar.value <= 0x20 || (0x7F...0x9F).contains(scalar.value)
      || scalar.properties.isWhitespace || ShownName.isInvisible(scalar)
  }

  /// Replaces `rn` by `m`, unless an accent follows: it stays with its letter.
  private static func joined(_ scalars: String.UnicodeScalarView) -> String {
    var joined = String.UnicodeScalarView()
    let all = Array(scalars)
    for (index, scalar) in all.enumerated() {
      let isFollowed =
        index + 1 < all.count
        && all[index + 1].properties.canonicalCombiningClass != .notReordered
      if scalar == "n", joined.last == "r", !isFollowed {
        joined.removeLast()
        joined.append("m")
      } else {
        joined.append(scalar)
      }
    }
    return String(joined)
  }
}

extension NameLikeness {
  /// Whether two names differ in nothing but case: what a user typed is then what is meant.
  public static func isSame(_ name: String, _ typed: String) -> Bool {
    name == typed || name.lowercased() == typed.lowercased()
  }

  /// Returns the groups of names of which each is like another one of its group, in the order of
  /// their first members. A name that is like no other has no group.
  public static func groups(of names: [String]) -> [[Int]] {
    var parents = Array(names.indices)
    func root(_ index: Int) -> Int {
      var index = index
      while parents[index] != index { index = parents[index] }
      return index
    }
    var first: [String: Int] = [:]
    for (index, name) in names.enumerated() {
      for skeleton in NameLikeness(name).skeletons {
        guard let other = first[skeleton] else {
          first[skeleton] = index
          continue
        }
        let (one, two) = (root(other), root(index))
        parents[max(one, two)] = min(one, two)
      }
    }
    return Dictionary(grouping: names.indices, by: root).filter { $0.value.count > 1 }
      .sorted { $0.key < $1.key }.map(\.value)
  }
}
