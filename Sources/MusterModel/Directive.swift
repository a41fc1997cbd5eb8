/// The kinds of directive.
public enum DirectiveKind: UInt8, Codable, Sendable, NamedCase, Hashable {
  /// Leave, and go to an assembly zone.
  case evacuate = 1
  /// Report that you are accounted for.
  case rollcall = 2
  /// Report your position: switches the device to precise sampling.
  case locate = 3
  /// Read this message.
  case message = 4
  /// Go to an assembly zone.
  case muster = 5

  /// The name in texts.
  public var label: String { self == .rollcall ? "roll call" : name }

  /// Whether it affects the status of the people addressed.
  public var isOrder: Bool { self == .evacuate || self == .muster || self == .rollcall }
}

/// Whether a directive is still in force. In a conflict, open wins.
public enum DirectiveStatus: UInt8, Codable, Sendable, NamedCase, Hashable {
  case open = 1
  case closed = 2
}

/// The audience of a directive.
public enum Addressees: Hashable, Sendable {
  /// Command and members: the people in the field.
  case everyone
  case role(Role)
  case team(String)
  case users([UserID])
}

extension DirectiveKind {
  /// Whether it sends people to a zone.
  public var sendsPeople: Bool { self == .evacuate || self == .muster }

  /// Whether it also addresses people who carry a tracker: they cannot answer, but must be
  /// accounted for.
  public var includesTrackers: Bool { sendsPeople || self == .rollcall }

  /// Whether a new order of a kind replaces one of this kind for the same audience: an order to a
  /// zone those to a zone, a roll call roll calls.
  public func isReplaced(by other: DirectiveKind) -> Bool {
    isOrder && other.isOrder && sendsPeople == other.sendsPeople
  }

  /// Default seconds until the deadline; nil for no deadline.
  public var usualDurationSeconds: UInt32? { sendsPeople ? 15 * 60 : nil }
}

/// A new directive, as a commander issues it.
public struct DirectiveDraft: Hashable, Sendable {
  /// The kind of directive.
  public var kind: DirectiveKind
  /// At most `Limits.paragraphBytes`; required for a message, else optional.
  public var text: String
  /// The audience.
  public var addressees: Addressees
  /// The zones to go to, at most `Limits.zonesPerDirective`; empty for any active assembly zone.
  public var zones: [RowID]
  /// Seconds from issue to deadline, 1 to `Limits.spanSeconds`; nil for the default.
  public var durationSeconds: UInt32?

  /// Creates a draft. Nothing is validated here: a value out of range is rejected on write.
  public init(
    kind: DirectiveKind, text: String = "", addressees: Addressees = .everyone,
    zones: [RowID] = [], durationSeconds: UInt32? = nil
  ) {
    self.kind = kind
    self.text = text
    self.addressees = addressees
    self.zones = zones
    self.durationSeconds = durationSeconds
  }
}
