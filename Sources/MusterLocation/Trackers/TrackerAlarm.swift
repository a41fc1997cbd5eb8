/// A call for help by a phone: the field `alarm` of its report.
///
/// Apps send other alarms in the same field, such as a low battery. Only those that a person
/// raises, or that mean a fall, call for help.
public struct TrackerAlarm: Hashable, Sendable {
  /// The battery's charge in percent; nil if the phone reports none.
  public let batteryPercent: Int?

  private static let calls: Set<String> = [
    "sos", "panic", "help", "general", "falldown", "mandown", "1", "true",
  ]

  /// Returns nil if the field is missing or no call for help.
  ///
  /// - Parameter batteryPercent: as reported; values out of range are ignored.
  public init?(field: String?, batteryPercent: Double?) {
    guard let field, Self.calls.contains(field.lowercased()) else { return nil }
    self.batteryPercent = batteryPercent.flatMap {
      (0...100).contains($0) ? Int($0.rounded()) : nil
    }
  }

  /// The note of the call for help.
  public var note: String {
    batteryPercent.map { "alarm by the phone, battery \($0) %" } ?? "alarm by the phone"
  }
}

/// Detects when a phone's alarm begins: a phone may repeat the field in each report.
///
/// Invariant: it contains at most as many names as the node accepts trackers, since only reports of
/// known trackers are taken.
struct TrackerAlarms: Sendable {
  private var active: Set<TrackerName> = []

  /// Takes a report of a known tracker. Returns its alarm if the report before had none.
  mutating func take(_ report: TrackerReport) -> TrackerAlarm? {
    guard let alarm = report.alarm else {
      active.remove(report.tracker)
      return nil
    }
    return active.insert(report.tracker).inserted ? alarm : nil
  }

  /// Takes the alarm of the next report as a new one.
  mutating func forget(_ tracker: TrackerName) { active.remove(tracker) }
}
