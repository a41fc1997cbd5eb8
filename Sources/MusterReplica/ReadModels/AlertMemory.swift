internal import MusterModel

/// What alerts remember since the start of this process, which keeps them from being raised for
/// what passes by itself (ISA-18.2, chattering alarms).
struct AlertMemory: Sendable {
  /// How long the alert about a silent person waits whose records have no known age yet.
  static let graceMilliseconds: Int64 = 60_000
  /// So many times within `windowMilliseconds` an alert chatters.
  private static let chatters = 3
  private static let windowMilliseconds: Int64 = 600_000
  /// How long an alert that chatters stays after its matter ended.
  private static let holdMilliseconds: Int64 = 120_000

  private struct Record: Sendable {
    var finding: AlertTracker.Finding
    /// When it began within `windowMilliseconds`, the newest last.
    var starts: [Int64]
    var lastFound: Int64
    var isFound: Bool
  }

  /// Rules of zones about an entry that were satisfied.
  private(set) var enteredRules: Set<Dot> = []
  /// When the grace of each person ends, by the boot clock. It is given once: a person who leaves
  /// and returns gets no further one.
  private var graces: [UserID: Int64] = [:]
  private var records: [AlertID: Record] = [:]
  private(set) var dates = AlertDates()

  /// Replaces the rules about an entry that were satisfied.
  mutating func keep(enteredRules rules: Set<Dot>) { enteredRules = rules }

  /// Dates alerts that no review has stored yet from when they were first found: else each answer
  /// until then would date them later, as if they were raised again.
  mutating func date(_ alerts: inout AlertTracker, after stored: AlertTracker) {
    var found = AlertDates()
    for alert in alerts.alerts {
      let before = stored.since(of: alert.id)
      guard before != alert.since else { continue }
      var since = alert.since
      if let known = dates.unstored[alert.id], known.stored == before { since = known.since }
      alerts.date(alert.id, since: since)
      found.unstored[alert.id] = (before, since)
    }
    dates = found
  }

  /// Adds the dates that a reader of a copy found; the first ones stay.
  mutating func keep(_ dates: AlertDates) {
    self.dates.unstored.merge(dates.unstored) { first, _ in first }
  }

  /// Returns those of the people without a bound on their age whose alert waits still.
  mutating func waiting(_ unconfirmed: Set<UserID>, at reading: Int64) -> Set<UserID> {
    unconfirmed.filter { user in
      let end = graces[user] ?? reading + Self.graceMilliseconds
      graces[user] = end
      return reading < end
    }
  }

  /// Returns the findings with those that come and go as one that stays, with their number.
  mutating func steady(
    _ findings: [AlertTracker.Finding], at reading: Int64
  ) -> [AlertTracker.Finding] {
    var result: [AlertTracker.Finding] = []
    var found: Set<AlertID> = []
    for finding in findings {
      guard finding.id.kind.chatters else {
        result.append(finding)
        continue
      }
      found.insert(finding.id)
      result.append(recording(finding, at: reading))
    }
    for (id, record) in records where !found.contains(id) {
      records[id]?.isFound = false
      let isHeld =
        recent(record, at: reading) >= Self.chatters
        && reading - record.lastFound <= Self.holdMilliseconds
      if isHeld {
        result.append(marked(record, at: reading))
      } else if recent(record, at: reading) == 0 {
        records[id] = nil
      }
    }
    return result
  }

  private mutating func recording(
    _ finding: AlertTracker.Finding, at reading: Int64
  ) -> AlertTracker.Finding {
    var record =
      records[finding.id]
      ?? Record(finding: finding, starts: [], lastFound: reading, isFound: false)
    if !record.isFound { record.starts.append(reading) }
    record.starts.removeAll { reading - $0 > Self.windowMilliseconds }
    (record.finding, record.lastFound, record.isFound) = (finding, reading, true)
    records[finding.id] = record
    return marked(record, at: reading)
  }

  private func recent(_ record: Record, at reading: Int64) -> Int {
    record.starts.count { reading - $0 <= Self.windowMilliseconds }
  }

  private func marked(_ record: Record, at reading: Int64) -> AlertTracker.Finding {
    let times = recent(record, at: reading)
    guard times >= Self.chatters else { return record.finding }
    var finding = record.finding
    finding.phrase = Phrase(
      .chatters, ["text": .phrase(finding.phrase), "n": .count(times)])
    return finding
  }
}

/// Since when alerts exist that no review has stored yet, as the answers to readers state it.
public struct AlertDates: Sendable {
  /// By alert, with the time of the stored one that each renews.
  fileprivate var unstored: [AlertID: (stored: Timestamp?, since: Timestamp)] = [:]

  /// Whether a review has stored all alerts.
  public var isEmpty: Bool { unstored.isEmpty }
}

extension AlertKind {
  /// Whether its matter can begin and end many times without an act of a person: at the edge of a
  /// zone, or by a device.
  fileprivate var chatters: Bool {
    switch self {
    case .inHazard, .nearZone, .zoneRule, .emptyFence, .positionSource, .webhook, .clock, .disk:
      true
    default: false
    }
  }
}
