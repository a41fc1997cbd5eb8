/// A condition that the users of this node should know about. Computed from held data, never sent.
public struct Alert: Codable, Hashable, Sendable {
  /// Stays the same while the matter stays the same: the kind and the subject.
  public var id: AlertID
  /// The severity.
  public var level: AlertLevel
  /// A one-line description.
  public var phrase: Phrase
  /// When this node first raised it, by its own clock.
  public var since: Timestamp
  /// The acknowledgement; nil until a user acknowledges the alert.
  public var acknowledgement: AlertAcknowledgement?
  /// The charge of the battery of the person's device, in percent; nil if it is not known, or the
  /// alert is not about a person.
  public var batteryPercent: UInt8?
  /// Everyone known to have acknowledged it, also those whose acknowledgement does not silence it
  /// here: command first; never stored.
  public var acknowledgements: [AlertSighting] = []
  /// Of a danger to people, the emergency services to call; never stored.
  public var contacts: [AlertContact] = []
  /// The person that it is about; nil for several, or for none; never stored.
  public var person: UserID?
  /// When the act that it is about happened, by this node's clock: later than that it was not. Nil
  /// if that is not known; never stored.
  public var happenedAt: Timestamp?
  /// Of a group, the alerts that its members would have.
  public var members: [AlertID] = []
  /// Of an alert about a report, its parts; never stored.
  public var report: AlertReport?
  /// Of a warning that command at this node shelved, for how long and why; nil for any other.
  public var shelving: AlertShelving?

  /// Creates an alert in its current state.
  public init(
    id: AlertID, level: AlertLevel, phrase: Phrase, since: Timestamp,
    acknowledgement: AlertAcknowledgement? = nil, batteryPercent: UInt8? = nil
  ) {
    self.id = id
    self.level = level
    self.phrase = phrase
    self.since = since
    self.acknowledgement = acknowledgement
    self.batteryPercent = batteryPercent
  }

  /// Creates an alert with a text that has no key.
  public init(
    id: AlertID, level: AlertLevel, text: String, since: Timestamp,
    acknowledgement: AlertAcknowledgement? = nil, batteryPercent: UInt8? = nil
  ) {
    self.init(
      id: id, level: level, phrase: Phrase(verbatim: text), since: since,
      acknowledgement: acknowledgement, batteryPercent: batteryPercent)
  }

  /// The description in English.
  public var text: String { phrase.text }
}

/// An acknowledgement of an alert, by a local user or in a row that every node holds.
public struct AlertAcknowledgement: Codable, Hashable, Sendable {
  /// One line, at most `Limits.lineBytes`.
  public var name: String
  /// By this node's own clock.
  public var moment: Timestamp

  /// Creates an acknowledgement. Nothing is validated here.
  public init(name: String, moment: Timestamp) {
    self.name = name
    self.moment = moment
  }
}

/// Command at this node put a warning aside for a while (ISA-18.2, shelving): it is listed apart,
/// without a sound, and is not counted.
public struct AlertShelving: Codable, Hashable, Sendable {
  /// For how many minutes at a time.
  public static let minutes = 1...60
  /// Without a number.
  public static let usualMinutes = 15

  /// Who did it: a login, or the user of this device. One line, at most `Limits.lineBytes`.
  public var name: String
  /// Why: one line, at most `Limits.lineBytes`.
  public var reason: String
  /// When it ends at the latest, by this node's clock.
  public var until: Timestamp

  /// Creates a shelving. Nothing is validated here.
  public init(name: String, reason: String, until: Timestamp) {
    (self.name, self.reason, self.until) = (name, reason, until)
  }
}

/// What command states to shelve a warning.
public struct ShelvingOrder: Codable, Hashable, Sendable {
  /// For how long, within `AlertShelving.minutes`.
  public var minutes: Int
  /// One line, at most `Limits.lineBytes`.
  public var reason: String
  /// Who does it; nil for the device's own user.
  public var name: String?

  /// Creates an order. Nothing is validated here.
  public init(minutes: Int, reason: String, name: String? = nil) {
    (self.minutes, self.reason, self.name) = (minutes, reason, name)
  }
}

/// A person who acknowledged an alert in a row that every node holds, by the certificate of the
/// device that signed it. No text that its author chose stands in the place of the name.
public struct AlertSighting: Codable, Hashable, Sendable {
  /// The most of one alert.
  public static let mostListed = 8

  /// The person; of a program, the user of its device.
  public var user: UserID
  /// The callsign; one that several people have is followed by the first digits of the id.
  public var name: String
  /// The role of the device. A member's acknowledgement silences no device but the member's own.
  public var role: Role
  /// The callsign of the device's user if the person used a login there; nil for their own.
  public var via: String?
  /// What the device claims about who it was, such as the name of a login; may be empty.
  public var note: String

  /// Creates a sighting.
  public init(user: UserID, name: String, role: Role, via: String?, note: String) {
    self.user = user
    self.name = name
    self.role = role
    self.via = via
    self.note = note
  }

  /// Role and name, such as `(member) Mia`.
  public var text: String {
    let place = via.map { ", via \($0)'s post" } ?? ""
    return role == .command ? name + place : "(\(role.name)) \(name)\(place)"
  }
}

/// What an alert is about.
public struct AlertID: Codable, Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The kind of alert.
  public let kind: AlertKind
  /// The report, fence, directive or user; for an alert about a device, the device; for one about a
  /// webhook, derived from its name.
  public let row: RowID

  /// Identifies one matter.
  public init(kind: AlertKind, row: RowID) {
    self.kind = kind
    self.row = row
  }

  /// Kind and row, as in JSON.
  public var description: String { "\(kind.name):\(row)" }

  /// By kind, then by row.
  public static func < (left: AlertID, right: AlertID) -> Bool {
    left.kind != right.kind ? left.kind.rawValue < right.kind.rawValue : left.row < right.row
  }
}

/// The kinds of alert. Numbers are stored and append-only.
public enum AlertKind: UInt8, Codable, Sendable, NamedCase, Hashable {
  /// A person called for help.
  case help = 1
  /// A hazard was reported near this device.
  case hazard = 2
  /// This device is inside a hazard zone (the row is the zone's), or at command another person is
  /// (the row is the person's).
  case inHazard = 3
  /// No longer raised: only orders send people to a zone.
  case muster = 4
  /// Nothing was received from a user for longer than the silence setting.
  case silent = 5
  /// An assembly fence contains no person of the role that it needs.
  case emptyFence = 6
  /// A directive's deadline has passed and a person has not answered.
  case overdue = 7
  /// A directive is for this user and has not been answered.
  case directive = 8
  /// Two live copies of a device's keys exist.
  case clone = 9
  /// This device was revoked.
  case revoked = 10
  /// This device's clock is far from its peers'.
  case clock = 11
  /// A revoked device has asked to be admitted again.
  case readmission = 12
  /// A device has reached a limit on the data that others store for it.
  case bound = 13
  /// The folder that detects restored backups of this device cannot be written.
  case stateFolder = 14
  /// A device's stamps contradict one another.
  case clockFault = 15
  /// A person that an order addresses is safe.
  case safe = 16
  /// Every person that an order addresses satisfies it.
  case orderDone = 17
  /// Some members of a council want to revoke another, too few so far.
  case disputed = 18
  /// The disk of this device's home is almost full.
  case disk = 19
  /// Several people have the same callsign (the row is the last one's).
  case sameCallsign = 20
  /// A person has not checked in (the row is the timer's).
  case checkIn = 21
  /// This node's user must check in soon.
  case checkInReminder = 22
  /// The battery of a device is low (the row is the person's).
  case battery = 23
  /// This node's user has not moved while a check-in with that option runs (the row is the
  /// timer's).
  case stillness = 24
  /// A rule of a zone about the people inside is violated (the row is the zone's).
  case zoneRule = 25
  /// A person is too close to a zone, by its rule (the row is the person's).
  case nearZone = 26
  /// The position source of this device gives no fix.
  case positionSource = 27
  /// Calls for help whose callers are not proven (the row is the operation's): one alert for all.
  case unverifiedCall = 28
  /// Calls for help of one owner's trackers, beyond those with an alert each (the row is the
  /// owner's).
  case furtherCalls = 29
  /// A person checked in under duress; at command only (decision 0047).
  case duress = 30
  /// A webhook of this device delivers nothing, although something waits; at command only.
  case webhook = 31
  /// A person who called for help reports to be safe; at command only, until it is acknowledged.
  case calledOff = 32
  /// Several people missed a check-in that command started for them at once (the row is the first
  /// timer's).
  case checkInGroup = 33
  /// Many reports of one author in a short time; at command only (the row is one of the reports).
  case reportGroup = 34
  /// Several people fell silent with a laptop that this device was in contact with (the row is that
  /// laptop's person).
  case silentGroup = 35

  /// Whether one alert stands for several findings with a cause each, which are acknowledged with
  /// it.
  public var isGroup: Bool {
    switch self {
    case .furtherCalls, .checkInGroup, .reportGroup, .silentGroup: true
    default: false
    }
  }
}

/// The severity of an alert.
public enum AlertLevel: UInt8, Codable, Sendable, NamedCase, Hashable, Comparable {
  case notice = 1
  case warning = 2
  case danger = 3

  /// Lower severity is less.
  public static func < (left: AlertLevel, right: AlertLevel) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// An alert that was raised, acknowledged, shelved or cleared.
public enum AlertChange: Hashable, Sendable {
  case raised(Alert)
  case acknowledged(Alert)
  case shelved(Alert)
  case cleared(Alert)

  /// The alert as it is now; a cleared one as it was last.
  public var alert: Alert {
    switch self {
    case .raised(let alert), .acknowledged(let alert), .shelved(let alert), .cleared(let alert):
      alert
    }
  }

  /// Returns the changes from `before` to `after`, by alert id. An alert whose level rises is
  /// raised again, as is one that was cleared and returned. A change of the text alone is not
  /// reported.
  public static func between(_ before: [Alert], and after: [Alert]) -> [AlertChange] {
    let old = Dictionary(before.map { ($0.id, $0) }) { $1 }
    let new = Dictionary(after.map { ($0.id, $0) }) { $1 }
    return Set(old.keys).union(new.keys).sorted().compactMap { id in
      guard let alert = new[id] else { return old[id].map(AlertChange.cleared) }
      guard let known = old[id], known.since == alert.since, known.level >= alert.level else {
        return .raised(alert)
      }
      if known.acknowledgement == nil, alert.acknowledgement != nil { return .acknowledged(alert) }
      return known.shelving == nil && alert.shelving != nil ? .shelved(alert) : nil
    }
  }
}

extension Alert {
  /// From when its age counts: from the act, else from when this node raised it.
  public var agesFrom: Timestamp { happenedAt.map { min($0, since) } ?? since }
}
