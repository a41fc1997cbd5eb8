/// Whether an unverified call waits for a decision of command.
public enum UnverifiedCallState: UInt8, Codable, Sendable, NamedCase, Hashable {
  case open = 1
  /// Command closed it, with a reason.
  case closed = 2
  /// Command stated who called.
  case confirmed = 3
}

/// A call for help whose caller is not proven, as known to this node.
public struct UnverifiedCallSummary: Codable, Hashable, Sendable {
  /// The call's row.
  public var id: RowID
  /// The name that the message states; empty for none.
  public var name: String
  /// The address from which the message came; empty if it is not known.
  public var address: String
  /// What the caller wrote.
  public var note: String
  /// Why the caller is not proven.
  public var cause: UnverifiedCause
  /// The stated position.
  public var position: Coordinate?
  /// When the call was made, by the clock of the phone; nil if it states no time.
  public var madeAt: Timestamp?
  /// When the newest message arrived, by the clock of the device that received it: a label.
  public var receivedAt: Timestamp
  /// Messages of this call that were written.
  public var messages: UInt32
  /// Further calls, of other credentials, that share this row beyond the bound of its device.
  public var others: UInt32
  /// The callsign of the user whose device received it.
  public var receivedBy: String
  /// Whether it waits for a decision.
  public var state = UnverifiedCallState.open
  /// Why command closed it; empty otherwise.
  public var reason = ""
  /// The person that command named.
  public var person: UserID?
  /// The callsign of that person; empty otherwise.
  public var personName = ""
  /// The callsign of the commander who decided; empty while it is open.
  public var decidedBy = ""
  /// When command decided, by that device's clock: a label.
  public var decidedAt: Timestamp?

  /// Creates the summary of an open call.
  public init(
    id: RowID, name: String, address: String, note: String, cause: UnverifiedCause,
    position: Coordinate?, madeAt: Timestamp?, receivedAt: Timestamp, messages: UInt32,
    others: UInt32, receivedBy: String
  ) {
    self.id = id
    self.name = name
    self.address = address
    self.note = note
    self.cause = cause
    self.position = position
    self.madeAt = madeAt
    self.receivedAt = receivedAt
    self.messages = messages
    self.others = others
    self.receivedBy = receivedBy
  }
}

/// The unverified calls of a node.
public struct UnverifiedCalls: Codable, Hashable, Sendable {
  /// Open calls, at most `Limits.shownUnverifiedCalls`, newest first; ended ones may follow.
  public var items: [UnverifiedCallSummary]
  /// Open calls that are not among them.
  public var further: Int

  /// Creates the calls.
  public init(items: [UnverifiedCallSummary], further: Int) {
    self.items = items
    self.further = further
  }
}
