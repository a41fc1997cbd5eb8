/// What command asks of people.
public enum DirectiveKind: UInt8, Codable, Sendable, CaseIterable, Hashable {
  /// Leave, and go to a fence.
  case evacuate = 1
  /// Say that you are accounted for.
  case rollcall = 2
  /// Say where you are: wakes the precise mode of the laptop.
  case locate = 3
  /// Read this.
  case message = 4
  /// Go to an assembly zone.
  case muster = 5

  /// What people, JSON and the command line call it.
  public var name: String { String(describing: self) }

  /// Whether it decides the status of those it is for.
  public var isOrder: Bool { self == .evacuate || self == .muster || self == .rollcall }
}

/// Whether a directive still asks for anything. Where people disagree, open is shown.
public enum DirectiveStatus: UInt8, Codable, Sendable, CaseIterable, Hashable {
  case open = 1
  case closed = 2

  /// What people, JSON and the command line call it.
  public var name: String { String(describing: self) }
}

/// Whom a directive is for.
public enum Addressees: Hashable, Sendable {
  /// Command and members: those who are in the field.
  case everyone
  case role(Role)
  case team(String)
  case users([UserID])
}

extension DirectiveKind {
  /// Whether it sends people to a zone, so that one of the same audience replaces another.
  public var sendsPeople: Bool { self == .evacuate || self == .muster }

  /// Whether it is for people who carry a tracker too: they cannot answer, and are to be accounted
  /// for all the same.
  public var includesTrackers: Bool { sendsPeople || self == .rollcall }

  /// Seconds until the deadline where none is given; nil for no deadline.
  public var usualDurationSeconds: UInt32? { sendsPeople ? 15 * 60 : nil }
}

/// A new directive, as a commander gives it.
public struct DirectiveDraft: Hashable, Sendable {
  /// What is asked.
  public var kind: DirectiveKind
  /// At most `Limits.paragraphBytes`; may be empty, but not of a message.
  public var text: String
  /// Whom it is for.
  public var addressees: Addressees
  /// Where to go, at most `Limits.zonesPerDirective`; empty for any active assembly zone.
  public var zones: [RowID]
  /// From when it is issued to its deadline, 1 to `Limits.spanSeconds`; nil for what is usual.
  public var durationSeconds: UInt32?

  /// Nothing is checked here: what is out of range is refused when it is written.
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
