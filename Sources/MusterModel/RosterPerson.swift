/// A person that command expects in the operation, and who may not have arrived.
///
/// It is kept as the row of a user: name, team, and phone number with function in the row's
/// contact. Until a certificate names the user, the row is on the roster and nowhere else (decision
/// 0115).
public struct RosterPerson: Codable, Hashable, Sendable {
  /// The user that the person becomes with a device of their own.
  public let id: UserID
  /// What command knows of the person.
  public let entry: RosterEntry
  /// Whether the person has a device, or command stated that they arrived.
  public let hasArrived: Bool
  /// People whose name looks the same, until command confirms that one is this person.
  public let namesakes: [RosterNamesake]

  /// Creates a person.
  public init(
    id: UserID, entry: RosterEntry, hasArrived: Bool, namesakes: [RosterNamesake] = []
  ) {
    self.id = id
    self.entry = entry
    self.hasArrived = hasArrived
    self.namesakes = namesakes
  }

  /// The role of a device that the person is invited with, if the file named one.
  public var role: Role? {
    Role(name: entry.function.lowercased()).flatMap { $0.isPersonal ? $0 : nil }
  }
}

/// A person who takes part, and whose name looks like that of one on the roster.
public struct RosterNamesake: Codable, Hashable, Sendable {
  /// The person, or the tracker that they carry.
  public let id: UserID
  /// As it is shown.
  public let callsign: String
  /// Whether they are a phone without a laptop.
  public let isTracker: Bool

  /// Creates a namesake.
  public init(id: UserID, callsign: String, isTracker: Bool) {
    self.id = id
    self.callsign = callsign
    self.isTracker = isTracker
  }
}

/// What a file states about one person of the roster.
public struct RosterEntry: Codable, Hashable, Sendable {
  /// One line, at most `Limits.lineBytes`.
  public var name: String
  /// One line, or empty.
  public var team: String
  /// Such as `member` or `paramedic`: one line, or empty.
  public var function: String
  /// As in `EmergencyContact`, or empty.
  public var phone: String

  /// Creates an entry. Nothing is validated here: one with a `fault` is rejected on write.
  public init(name: String, team: String = "", function: String = "", phone: String = "") {
    self.name = name
    self.team = team
    self.function = function
    self.phone = phone
  }

  /// - Parameter contact: as `contact` returned it.
  public init(name: String, team: String, contact: String) {
    let lines = contact.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    self.init(
      name: name, team: team, function: lines.count > 1 ? String(lines[1]) : "",
      phone: String(lines.first ?? ""))
  }

  /// The phone number, and in a second line the function: the text of the row's contact.
  public var contact: String { function.isEmpty ? phone : "\(phone)\n\(function)" }

  /// Returns why it is rejected, for the user who entered it; nil if it is allowed.
  public var fault: String? {
    if let fault = TextRule.line.fault(in: name) { return "the name \(fault)" }
    if !team.isEmpty, let fault = TextRule.line.fault(in: team) { return "the team \(fault)" }
    if !function.isEmpty, let fault = TextRule.line.fault(in: function) {
      return "the role \(fault)"
    }
    return phone.isEmpty ? nil : EmergencyContact.fault(phone: phone)
  }
}

/// What command changes on the roster. A `String` that names a person on it is their id, or at
/// least four digits of it.
public enum RosterWrite: Codable, Hashable, Sendable {
  /// Adds people, or changes those of the same name.
  case add([RosterEntry])
  /// States that a person arrived: as one who takes part, by their id, or with nil without a
  /// device.
  case arrive(String, as: UserID?)
  /// Withdraws that a person arrived.
  case expect(String)
  /// Removes a person, with the phone number.
  case remove(String)
}

/// What became of people that were added to the roster.
public struct RosterOutcome: Codable, Hashable, Sendable {
  /// Those who were not on it.
  public var added: Int
  /// Those whose team, function or phone number changed.
  public var changed: Int

  /// Creates an outcome.
  public init(added: Int = 0, changed: Int = 0) {
    self.added = added
    self.changed = changed
  }
}

extension Limits {
  /// People on the roster; a device refuses to add more.
  public static let rosterPeople = 1000
}
