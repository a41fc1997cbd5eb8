/// What this node's people should know now: computed from what the node holds, and never sent.
public struct Alert: Codable, Hashable, Sendable {
  /// The same for as long as it is the same matter: kind and what it is about.
  public var id: AlertID
  /// How loud.
  public var level: AlertLevel
  /// In one line.
  public var text: String
  /// When this node first saw it, by its own clock.
  public var since: Timestamp
  /// Who has taken notice of it; nil while it waits for somebody.
  public var acknowledgement: AlertAcknowledgement?

  /// An alert as it stands.
  public init(
    id: AlertID, level: AlertLevel, text: String, since: Timestamp,
    acknowledgement: AlertAcknowledgement? = nil
  ) {
    self.id = id
    self.level = level
    self.text = text
    self.since = since
    self.acknowledgement = acknowledgement
  }
}

/// That somebody at this node has taken notice of an alert. As local as the alert, and never sent.
public struct AlertAcknowledgement: Codable, Hashable, Sendable {
  /// In one line, at most `Limits.lineBytes`.
  public var name: String
  /// By this node's own clock.
  public var moment: Timestamp

  /// Nothing is checked here.
  public init(name: String, moment: Timestamp) {
    self.name = name
    self.moment = moment
  }
}

/// What an alert is about.
public struct AlertID: Codable, Hashable, Comparable, Sendable, CustomStringConvertible {
  /// What sort of matter.
  public let kind: AlertKind
  /// The report, the fence, the directive, the user or, of what concerns a laptop, the device.
  public let row: RowID

  /// One matter.
  public init(kind: AlertKind, row: RowID) {
    self.kind = kind
    self.row = row
  }

  /// Kind and row, as JSON has it.
  public var description: String { "\(kind.name):\(row)" }

  /// By kind, then by row.
  public static func < (left: AlertID, right: AlertID) -> Bool {
    left.kind != right.kind ? left.kind.rawValue < right.kind.rawValue : left.row < right.row
  }
}

/// Sorts of alerts. Numbers are stored and append-only.
public enum AlertKind: UInt8, Codable, Sendable, CaseIterable, Hashable {
  /// Somebody asked for help.
  case help = 1
  /// A hazard was reported near this device.
  case hazard = 2
  /// This device is inside a hazard zone (the row is the zone's), or at command another person is
  /// (the row is the person's).
  case inHazard = 3
  /// No longer raised: only orders send people to a zone.
  case muster = 4
  /// Nothing was heard of a user for a while.
  case silent = 5
  /// A muster fence holds nobody of the role that it needs.
  case emptyFence = 6
  /// A directive's time is over and somebody has not answered.
  case overdue = 7
  /// A directive is for this user and waits for an answer.
  case directive = 8
  /// A device is in use twice at once.
  case clone = 9
  /// This device was revoked.
  case revoked = 10
  /// This device's clock is far from its peers'.
  case clock = 11
  /// A revoked device has asked to be admitted again.
  case readmission = 12
  /// A device has reached a bound for what others keep of it.
  case bound = 13
  /// The folder that detects restored backups of this device cannot be written.
  case stateFolder = 14
  /// A device's stamps contradict one another.
  case clockFault = 15
  /// Somebody whom an order is for is safe.
  case safe = 16
  /// Everybody whom an order is for satisfies it.
  case orderDone = 17

  /// What people, JSON and the command line call it.
  public var name: String { String(describing: self) }
}

/// How loud an alert is.
public enum AlertLevel: UInt8, Codable, Sendable, CaseIterable, Hashable, Comparable {
  case notice = 1
  case warning = 2
  case danger = 3

  /// What people, JSON and the command line call it.
  public var name: String { String(describing: self) }

  /// Quieter is less.
  public static func < (left: AlertLevel, right: AlertLevel) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// An alert that came, that somebody took notice of, or that went.
public enum AlertChange: Hashable, Sendable {
  case raised(Alert)
  case acknowledged(Alert)
  case cleared(Alert)

  /// What has happened since other alerts stood, by id. One that has grown louder is raised again,
  /// and so is one that went and came back; one whose words alone have changed is not told of.
  public static func between(_ before: [Alert], and after: [Alert]) -> [AlertChange] {
    let old = Dictionary(before.map { ($0.id, $0) }) { $1 }
    let new = Dictionary(after.map { ($0.id, $0) }) { $1 }
    return Set(old.keys).union(new.keys).sorted().compactMap { id in
      guard let alert = new[id] else { return old[id].map(AlertChange.cleared) }
      guard let known = old[id], known.since == alert.since, known.level >= alert.level else {
        return .raised(alert)
      }
      let isNoticed = known.acknowledgement == nil && alert.acknowledgement != nil
      return isNoticed ? .acknowledged(alert) : nil
    }
  }
}
