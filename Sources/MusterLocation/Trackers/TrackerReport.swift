public import MusterModel

/// What a phone reports about itself in one message: a position, a heartbeat, an alarm. Each part
/// is optional and was read alone; a part that could not be used is left out, and named.
public struct TrackerReport: Hashable, Sendable {
  /// What of a message was not used.
  public enum Omission: String, Hashable, Sendable, CaseIterable, Comparable {
    case name = "name unreadable"
    case position = "position unreadable"
    /// The app itself states that the fix is invalid, such as by a negative accuracy.
    case invalidFix = "position marked as invalid"
    case accuracy = "accuracy unreadable"
    case time = "time unreadable"
    case battery = "battery unreadable"
    case movement = "movement unreadable"
    case otherPerson = "position of a person with a login or a laptop of their own"
    case vague = "position too inaccurate"
    case nowhere = "position at 0, 0"
    case jump = "position too far from the last"
    case tooFast = "positions beyond one a second"
    case encrypted = "encrypted with another key than the laptop's (owntracks-key)"

    /// Compares the texts.
    public static func < (left: Omission, right: Omission) -> Bool {
      left.rawValue < right.rawValue
    }
  }

  /// The name configured in the phone's app; nil if the message has none that can be used.
  public var tracker: TrackerName?
  /// Nil without a position that can be used.
  public var position: Coordinate?
  /// Nil if it is not stated.
  public var accuracyDecimetres: UInt32?
  /// When the sample was made, by the phone's clock.
  public var time: DeviceTime
  /// The age of the sample in milliseconds, as its sender measured it by one clock from the sample
  /// to the sending; nil without one. It holds however wrong that clock is.
  public let measuredAge: Int64?
  /// Nil without an alarm.
  public var alarm: TrackerAlarm?
  /// The battery's charge in percent; nil if it is not stated.
  public var batteryPercent: UInt8?
  /// Whether the phone's sensor states that it moves; nil if it states nothing.
  public var isMoving: Bool?
  /// What was left out.
  public var omissions: Set<Omission>

  /// Creates a report.
  public init(
    tracker: TrackerName?, position: Coordinate?, accuracyDecimetres: UInt32? = nil,
    time: DeviceTime = .missing, alarm: TrackerAlarm? = nil, batteryPercent: UInt8? = nil,
    isMoving: Bool? = nil, omissions: Set<Omission> = [], measuredAge: Int64? = nil
  ) {
    self.measuredAge = measuredAge
    self.tracker = tracker
    self.position = position
    self.accuracyDecimetres = accuracyDecimetres
    self.time = time
    self.alarm = alarm
    self.batteryPercent = batteryPercent
    self.isMoving = isMoving
    self.omissions = omissions
  }

  /// Whether it calls for help.
  public var isCall: Bool { alarm?.isCall == true }

  /// Whether it cannot be read: it shows nothing, not even that its sender has the phone's key.
  public var isUnreadable: Bool { omissions == [.encrypted] }

  /// Returns the same report of another tracker: of the one whose credentials its sender has.
  public func renamed(_ tracker: TrackerName) -> TrackerReport {
    var report = self
    report.tracker = tracker
    report.omissions.remove(.name)
    return report
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
