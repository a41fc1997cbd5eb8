/// What became of a person's call for help, as its caller sees it (decision 0097).
///
/// It is derived from rows that every node holds. A call under duress is in none of them, so it has
/// no standing.
public struct CallStanding: Codable, Hashable, Sendable {
  /// How far a call has come.
  public enum Stage: String, Codable, CaseIterable, Sendable {
    /// Stored at this node, and not known to be at a command device.
    case sent
    /// A device of role `command` holds it, by its signed receipt.
    case atCommand
    /// A user of a member device acknowledged it, and none of command.
    case seenByMember
    /// A user of a command device acknowledged it.
    case seen
    /// Command sent a text.
    case answered
  }

  /// The person who acknowledged this call.
  public struct Sighting: Codable, Hashable, Sendable {
    /// The callsign of the person, by the certificate of the device or by the login that the post
    /// names; the post for a login without a person.
    public var name: String
    /// The role of the device that signed it.
    public var role: Role
    /// The callsign of the device's user if the person used a login there; nil for their own.
    public var via: String?
    /// By this node's clock: when it was made here, or at the latest when it arrived. Nil if that
    /// is no longer known.
    public var moment: Timestamp?

    /// Creates a sighting.
    public init(name: String, role: Role, via: String?, moment: Timestamp?) {
      self.name = name
      self.role = role
      self.via = via
      self.moment = moment
    }
  }

  /// A text from command to the caller alone, after the call.
  public struct Text: Codable, Hashable, Sendable {
    /// The directive of kind `message`, which the caller acknowledges.
    public var id: RowID
    /// What command wrote.
    public var text: String
    /// The callsign of its author.
    public var name: String
    /// As in `Sighting`.
    public var moment: Timestamp?
    /// Whether the caller acknowledged it.
    public var isRead: Bool

    /// Creates a text.
    public init(id: RowID, text: String, name: String, moment: Timestamp?, isRead: Bool) {
      self.id = id
      self.text = text
      self.name = name
      self.moment = moment
      self.isRead = isRead
    }
  }

  /// The caller.
  public var user: UserID
  /// The caller's callsign.
  public var callsign: String
  /// Details for the others; may be empty.
  public var note: String
  /// When it was made, as in `Sighting.moment`.
  public var moment: Timestamp?
  /// Whether it is neither ended by the caller nor accounted for by command.
  public var isOpen: Bool
  /// Whether a device of role `command` holds it.
  public var isAtCommand: Bool
  /// The people who acknowledged it: of command first, then the earliest.
  public var seen: [Sighting]
  /// The texts from command, the newest first.
  public var answers: [Text]

  /// The most of each list.
  public static let mostListed = 8

  /// How far the call has come.
  public var stage: Stage {
    if !answers.isEmpty { return .answered }
    if let first = seen.first { return first.role == .command ? .seen : .seenByMember }
    return isAtCommand ? .atCommand : .sent
  }

  /// Creates a standing. `seen` and `answers` MUST be in order.
  public init(
    user: UserID, callsign: String, note: String, moment: Timestamp?, isOpen: Bool,
    isAtCommand: Bool, seen: [Sighting], answers: [Text]
  ) {
    self.user = user
    self.callsign = callsign
    self.note = note
    self.moment = moment
    self.isOpen = isOpen
    self.isAtCommand = isAtCommand
    self.seen = seen
    self.answers = answers
  }
}
