/// What a node notes about the messages of a phone that reports to it.
public struct PhoneSummary: Codable, Hashable, Sendable {
  /// A part of messages that could not be used.
  public struct Omission: Codable, Hashable, Sendable {
    /// The reason, in a few words.
    public let reason: String
    /// The number of messages since the node's start.
    public let count: Int

    /// Creates an omission.
    public init(reason: String, count: Int) {
      self.reason = reason
      self.count = count
    }
  }

  /// What was left out of its messages.
  public let leftOut: [Omission]
  /// The newest alarm of the last hour that does not call for help; nil for none.
  public let alarm: String?
  /// How long ago that was; nil without.
  public let alarmAgeSeconds: Int64?
  /// How late at least its last fixes arrived, if all did: they are old, or its clock is wrong. Nil
  /// otherwise.
  public let lateBySeconds: Int64?
  /// How often it reports, if that is less often than its silence setting; nil otherwise.
  public let reportsEverySeconds: Int64?
  /// How much command states that its clock is behind; 0 without such a statement.
  public let clockBehindSeconds: Int64

  /// Creates a summary.
  public init(
    leftOut: [Omission], alarm: String?, alarmAgeSeconds: Int64? = nil,
    lateBySeconds: Int64? = nil, reportsEverySeconds: Int64? = nil, clockBehindSeconds: Int64 = 0
  ) {
    self.leftOut = leftOut
    self.alarm = alarm
    self.alarmAgeSeconds = alarmAgeSeconds
    self.lateBySeconds = lateBySeconds
    self.reportsEverySeconds = reportsEverySeconds
    self.clockBehindSeconds = clockBehindSeconds
  }

  /// Whether there is nothing to show.
  public var isEmpty: Bool {
    leftOut.isEmpty && alarm == nil && lateBySeconds == nil && reportsEverySeconds == nil
      && clockBehindSeconds == 0
  }
}
