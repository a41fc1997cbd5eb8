internal import MusterModel

/// A position report of a phone.
public struct TrackerReport: Hashable, Sendable {
  /// The name configured in the phone's app.
  public let tracker: TrackerName
  /// The fix as reported.
  public let fix: SourceFix

  /// The call for help; nil for none.
  public let alarm: TrackerAlarm?
  /// The battery's charge in percent; nil if the phone reports none, or one out of range.
  public let batteryPercent: UInt8?
  /// Whether the phone's sensor reports that it moves; nil if it reports nothing.
  public let isMoving: Bool?

  /// Creates a report.
  ///
  /// - Parameter batteryPercent: as reported; values out of range are ignored.
  public init(
    tracker: TrackerName, fix: SourceFix, alarm: TrackerAlarm? = nil,
    batteryPercent: Double? = nil, isMoving: Bool? = nil
  ) {
    self.batteryPercent = batteryPercent.flatMap {
      (0...100).contains($0) ? UInt8($0.rounded()) : nil
    }
    self.isMoving = isMoving
    self.tracker = tracker
    self.fix = fix
    self.alarm = alarm
  }

  /// Returns the same report of another tracker: of the one whose credentials its sender has.
  public func renamed(_ tracker: TrackerName) -> TrackerReport {
    TrackerReport(
      tracker: tracker, fix: fix, alarm: alarm,
      batteryPercent: batteryPercent.map(Double.init), isMoving: isMoving)
  }
}

/// The name that a phone's app was configured with. An authorized sender may use any name, so it
/// authenticates nothing.
public struct TrackerName: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The maximum length of a name in an app. A name becomes a callsign.
  public static let longestBytes = 64

  /// One line without spaces around it.
  public let description: String

  /// Returns nil if the text is empty, too long, or has control characters (`TextRule`).
  ///
  /// - Parameter longestBytes: programs may use names of up to `Limits.lineBytes`.
  public init?(_ text: some StringProtocol, longestBytes: Int = Self.longestBytes) {
    let words = text.split { $0 == " " }.joined(separator: " ")
    guard !words.isEmpty, words.utf8.count <= longestBytes, TextRule.line.accepts(words) else {
      return nil
    }
    description = words
  }

  /// Compares the descriptions.
  public static func < (left: TrackerName, right: TrackerName) -> Bool {
    left.description < right.description
  }
}
