/// What the import of a file used, and what it left out.
///
/// The counts are exact, and the list is bounded, whatever a file contains.
public struct ImportOutcome: Hashable, Sendable {
  /// The most omissions that are listed.
  public static let mostListed = 20
  /// The most omissions in a text of one line.
  private static let mostInText = 3
  private static let textCharacters = 200

  /// A part of the file that could not be used.
  public struct Omission: Hashable, Sendable, CustomStringConvertible {
    /// Where it is in the file, such as `line 40`.
    public let place: String
    /// Why it was left out.
    public let reason: String

    /// `line 40, no coordinates`.
    public var description: String { "\(place), \(reason)" }
  }

  /// How many shapes, points or zones were used.
  public private(set) var used = 0
  /// How many parts of the file were left out.
  public private(set) var leftOut = 0
  /// The first of those that were left out.
  public private(set) var omissions: [Omission] = []

  /// Creates the outcome of an empty file.
  public init() {}

  /// Counts what was used.
  public mutating func use(_ count: Int = 1) { used += count }

  /// Counts a part that was left out. Both texts may quote the file: characters that a terminal
  /// obeys are replaced.
  public mutating func leaveOut(
    _ place: @autoclosure () -> String, _ reason: @autoclosure () -> String
  ) {
    leftOut += 1
    guard omissions.count < Self.mostListed else { return }
    omissions.append(Omission(place: Self.line(place()), reason: Self.line(reason())))
  }

  /// Returns what was left out, with another count of what was used.
  public func using(_ count: Int) -> ImportOutcome {
    var other = self
    other.used = count
    return other
  }

  /// Returns the rows that are not known yet. Leaves out the others, each with its name.
  public mutating func leavingOut<Row>(
    _ rows: [Row], named name: (Row) -> String, _ reason: String, where isKnown: (Row) -> Bool
  ) -> [Row] {
    rows.filter { row in
      let isNew = !isKnown(row)
      if !isNew { leaveOut(name(row), reason) }
      return isNew
    }
  }

  /// Adds the outcome of a file within the file, such as one of an archive.
  public mutating func add(_ other: ImportOutcome, of file: String) {
    used += other.used
    leftOut += other.leftOut
    for one in other.omissions where omissions.count < Self.mostListed {
      omissions.append(
        Omission(place: Self.line("\(file) \(one.place)"), reason: one.reason))
    }
  }

  /// `3 left out: line 40, no coordinates; …`; nil if nothing was left out.
  public var omissionText: String? {
    guard leftOut > 0 else { return nil }
    let listed = omissions.prefix(Self.mostInText).map(\.description)
    return "\(leftOut) left out: "
      + (listed + (leftOut > listed.count ? ["…"] : [])).joined(separator: "; ")
  }

  private static func line(_ text: String) -> String {
    SafeText.line(
      String(String.UnicodeScalarView(text.unicodeScalars.prefix(textCharacters))))
  }
}
