internal import MusterInterchange
internal import MusterModel

/// What came of merging a bundle, for people and programs.
struct BundleOutcome {
  let tally: BundleTally
  let end: BundleEnd
  /// Whether the file goes on behind its end mark.
  let hasMore: Bool

  /// What is wrong with the file, as a sentence that begins with its name; nil where nothing is.
  var problem: String? {
    let rest = "what is whole of it was taken: make the bundle again"
    switch end {
    case .cutShort: return "ends too early, as if it was cut off or still being written; \(rest)"
    case .damaged: return "is damaged from some place on; \(rest)"
    case .whole: break
    }
    if tally.damagedPieces > 0 {
      let pieces = Words.count(tally.damagedPieces, "piece", "pieces")
      return "is damaged: \(pieces) of it cannot be read; \(rest)"
    }
    return hasMore ? "goes on behind its end, which nobody meant; all of the bundle was taken" : nil
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
        Words.count(tally.unreadablePieces, "piece says", "pieces say")
          + " nothing that this version understands")
    }
    return lines
  }

  private static func line(_ count: BundleTally.Count) -> String {
    var line = "\(count.new) new, \(count.known) known before"
    for (reason, number) in count.refused.sorted(by: { $0.key < $1.key }) {
      line += ", \(number) not taken: \(explanation(reason))"
    }
    return line
  }

  private static func explanation(_ reason: BundleRefusal) -> String {
    switch reason {
    case .forged: "a hash or signature does not hold"
    case .unknownAuthor: "nobody here knows who wrote them"
    case .unattached: "what they follow is not here"
    case .overLimit: "there is no room for more like them"
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
