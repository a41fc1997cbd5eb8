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
  /// The alarm of its newest message that does not call for help; nil for none.
  public let alarm: String?

  /// Creates a summary.
  public init(leftOut: [Omission], alarm: String?) {
    self.leftOut = leftOut
    self.alarm = alarm
  }
}
