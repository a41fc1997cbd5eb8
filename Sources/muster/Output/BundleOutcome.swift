internal import MusterInterchange
internal import MusterModel

/// The result of merging a bundle, for people and programs.
struct BundleOutcome {
  let tally: BundleTally
  let end: BundleEnd
  /// Whether bytes follow the end mark of the file.
  let hasMore: Bool

  /// What is wrong with the file, to follow its name; nil if it is intact.
  var problem: String? {
    let rest = "its intact parts were merged: create the bundle again"
    switch end {
    case .cutShort: return "is truncated; \(rest)"
    case .damaged: return "is damaged and cannot be read to its end; \(rest)"
    case .whole: break
    }
    if tally.damagedPieces > 0 {
      let pieces = ValueText.count(tally.damagedPieces, "piece", "pieces")
      return "is damaged: \(pieces) cannot be read; \(rest)"
    }
    return hasMore ? "has bytes after its end; the whole bundle was merged" : nil
  }

  /// For the terminal.
  var lines: [String] {
    var lines = [
      "Frames: " + Self.line(tally.frames), "Positions and receipts: " + Self.line(tally.records),
    ]
    if tally.newKeys > 0 {
      lines.append("New keys: \(tally.newKeys)")
    }
    if tally.unreadablePieces > 0 {
      lines.append(
        ValueText.count(tally.unreadablePieces, "piece is", "pieces are")
          + " in a format that this version does not support")
    }
    return lines
  }

  private static func line(_ count: BundleTally.Count) -> String {
    var line = "\(count.new) new, \(count.known) known"
    for (reason, number) in count.refused.sorted(by: { $0.key < $1.key }) {
      line += ", \(number) rejected (\(explanation(reason)))"
    }
    return line
  }

  private static func explanation(_ reason: BundleRefusal) -> String {
    switch reason {
    case .forged: "invalid hash or signature"
    case .unknownAuthor: "unknown author"
    case .unattached: "their predecessors are missing"
    case .overLimit: "over a limit"
    }
  }

  /// As `bundle merge` prints it.
  var json: JSON {
    .object([
      "frames": Self.json(tally.frames), "records": Self.json(tally.records),
      "newKeys": .count(tally.newKeys), "damagedPieces": .count(tally.damagedPieces),
      "unreadablePieces": .count(tally.unreadablePieces), "whole": .bool(problem == nil),
      "problem": .known(problem, JSON.string),
    ])
  }

  private static func json(_ count: BundleTally.Count) -> JSON {
    .object([
      "new": .count(count.new), "known": .count(count.known),
      "refused": .object(
        Dictionary(
          uniqueKeysWithValues: BundleRefusal.allCases.map { reason in
            (reason.name, JSON.count(count.refused[reason] ?? 0))
          })),
    ])
  }
}
