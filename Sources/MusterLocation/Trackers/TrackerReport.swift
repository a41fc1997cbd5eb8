internal import MusterModel

/// Where a phone says that it is.
public struct TrackerReport: Hashable, Sendable {
  /// Which phone, by the name that its app was given.
  public let tracker: TrackerName
  /// As it was told.
  public let fix: SourceFix

  /// As it was told.
  public init(tracker: TrackerName, fix: SourceFix) {
    self.tracker = tracker
    self.fix = fix
  }
}

/// What the app of a phone was told to call it. Whoever may send to the node may send under any
/// name: it proves nothing.
public struct TrackerName: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Becomes a callsign.
  public static let longestBytes = 64

  /// One line of 1 to `longestBytes` bytes, without spaces around it.
  public let description: String

  /// Nil for what is empty, too long, or has control characters (`TextRule`).
  public init?(_ text: some StringProtocol) {
    let words = text.split { $0 == " " }.joined(separator: " ")
    guard !words.isEmpty, words.utf8.count <= Self.longestBytes, TextRule.line.accepts(words) else {
      return nil
    }
    description = words
  }

  /// By its characters.
  public static func < (left: TrackerName, right: TrackerName) -> Bool {
    left.description < right.description
  }
}
