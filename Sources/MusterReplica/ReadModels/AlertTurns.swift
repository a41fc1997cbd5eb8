internal import MusterModel

/// The findings that become alerts, if there are more than `Limits.alerts`.
///
///     people who call ─▶ dangers, by turns ─▶ warnings, by turns ─▶ notices ─▶ beyond the shares
///
/// Within one level authors take turns, so that no author keeps out the danger of another. Of one
/// author at most `Limits.alertsPerAuthor` take a turn: the dangers of one keep out no warning of
/// another. A person with a certificate who calls is never kept out by what trackers and timers
/// raise. The choice depends on the set of findings alone.
struct AlertTurns {
  private typealias Finding = AlertTracker.Finding

  /// The place of a finding: the least ones are chosen.
  private struct Place: Comparable {
    /// 0 for calls, then by level, then beyond the author's share by level.
    let rank: Int
    /// The number of findings of the same author and rank before this one.
    let turn: Int
    let id: AlertID

    static func < (left: Place, right: Place) -> Bool {
      (left.rank, left.turn, left.id) < (right.rank, right.turn, right.id)
    }
  }

  /// Returns at most one finding for each id, the most severe, and at most `Limits.alerts`.
  static func chosen(_ findings: [AlertTracker.Finding]) -> [AlertID: AlertTracker.Finding] {
    var found: [AlertID: Finding] = [:]
    for finding in findings {
      if let known = found[finding.id], known.level >= finding.level { continue }
      found[finding.id] = finding
    }
    guard found.count > Limits.alerts else { return found }
    #if Canary
      if Canary.alertsWithoutTurns.isPlanted {
        let last = Set(found.keys.sorted().suffix(Limits.alerts))
        return found.filter { last.contains($0.key) }
      }
    #endif
    let places = Dictionary(grouping: found.values, by: \.author).values.flatMap(Self.places)
    let kept = Set(places.sorted().prefix(Limits.alerts).map(\.id))
    return found.filter { kept.contains($0.key) }
  }

  /// Returns the places of the findings of one author.
  private static func places(_ findings: [Finding]) -> [Place] {
    var turns: [Int: Int] = [:]
    let ordered = findings.sorted { left, right in
      let (first, second) = (rank(left), rank(right))
      return first != second ? first < second : left.id < right.id
    }
    return ordered.enumerated().map { index, finding in
      let isWithinShare = finding.isPersonsCall || index < Limits.alertsPerAuthor
      let rank = rank(finding) + (isWithinShare ? 0 : 1 + Int(AlertLevel.danger.rawValue))
      defer { turns[rank, default: 0] += 1 }
      return Place(rank: rank, turn: turns[rank, default: 0], id: finding.id)
    }
  }

  private static func rank(_ finding: Finding) -> Int {
    finding.isPersonsCall ? 0 : 1 + Int(AlertLevel.danger.rawValue - finding.level.rawValue)
  }
}
