/// How urgent an alert is, in the sense of IEC 62682. Life and danger are alarms: someone must act.
public enum AlertPriority: UInt8, Codable, Sendable, NamedCase, Hashable, Comparable {
  /// Needs no response.
  case message = 1
  /// Must be dealt with, not at once.
  case warning = 2
  /// People are, or will soon be, in danger.
  case danger = 3
  /// A person calls for help.
  case life = 4

  /// Lower priority is less.
  public static func < (left: AlertPriority, right: AlertPriority) -> Bool {
    left.rawValue < right.rawValue
  }

  /// The level of older programs: `life` is a danger.
  public var level: AlertLevel {
    switch self {
    case .message: .notice
    case .warning: .warning
    case .danger, .life: .danger
    }
  }
}

/// One row of the alarm table: what a kind of alert means at one priority, and what to do.
///
///     priority ─▶ place in the table ─▶ unacknowledged ─▶ acknowledged ─▶ shelved (`AlertPlace`)
///
/// `docs/alarms.md` contains the same table; a test compares them.
public struct AlarmRule: Hashable, Sendable {
  /// What one alert is about: several findings with the same one are one row.
  public enum Subject: String, Sendable {
    case person, owner, author, checkIn = "check-in", order, report, zone, device, webhook
    case operation
    case batch = "check-in of a group"
  }

  /// Whose devices raise it.
  public enum Audience: String, Sendable {
    case everyone, command
    /// Command, and people in the same zone.
    case endangered = "command, people in the same zone"
    /// Command, and people near by.
    case near = "command, people near by"
    /// The user of this device alone.
    case user = "the person"
    /// This device alone.
    case device = "this device"
    /// Command, and the person.
    case commandAndPerson = "command, the person"
    /// Command, and the laptop that received it.
    case commandAndReceiver = "command, the receiving laptop"
  }

  /// The kind of alert.
  public let kind: AlertKind
  /// How urgent it is.
  public let priority: AlertPriority
  /// What has happened.
  public let cause: String
  /// What to do.
  public let response: String
  /// The minutes within which to respond; nil if there is no hurry.
  public let minutes: Int?
  /// What ends it.
  public let end: String
  /// What groups it: one alert for each.
  public let subject: Subject
  /// Whether it takes the place of less urgent alerts of the same person in the strip.
  public let coversPerson: Bool
  /// Who receives it.
  public let audience: Audience

  /// Whether command may shelve it: a warning that is about neither a call for help nor what the
  /// user of this device is to do.
  public var isShelvable: Bool {
    priority == .warning && audience != .user && !Self.warningsAboutCalls.contains(kind)
  }

  private static let warningsAboutCalls: Set<AlertKind> = [.unverifiedCall, .calledOff]

  fileprivate init(
    _ priority: AlertPriority, _ kind: AlertKind, _ cause: String, do response: String,
    within minutes: Int?, until end: String, each subject: Subject, covers: Bool = false,
    for audience: Audience
  ) {
    (self.kind, self.priority, self.cause, self.response) = (kind, priority, cause, response)
    (self.minutes, self.end, self.subject) = (minutes, end, subject)
    (coversPerson, self.audience) = (covers, audience)
  }

  /// The rows in order: the most urgent first.
  public static let all = life + danger + warnings + messages

  private static let life = [
    AlarmRule(
      .life, .help, "A person calls for help, or command reported it.",
      do: "Acknowledge, answer, send help.", within: 1,
      until: "the caller reports to be safe, or command accounts for them",
      each: .person, covers: true, for: .everyone),
    AlarmRule(
      .life, .duress, "A person checked in under duress.",
      do: "Send help. Answer nothing that others can see.", within: 1,
      until: "command ends it at this laptop", each: .person, covers: true, for: .command),
    AlarmRule(
      .life, .furtherCalls, "More than four trackers of one owner call for help.",
      do: "Open it, find out who calls.", within: 1, until: "their calls end", each: .owner,
      for: .everyone),
  ]

  private static let danger = [
    AlarmRule(
      .danger, .inHazard, "A person is in a hazard zone without a permit.",
      do: "Call them. If they may be there, issue a permit.", within: 2,
      until: "a new position outside, or an accounting", each: .person, covers: true,
      for: .endangered),
    AlarmRule(
      .danger, .checkIn, "A person did not check in, and the grace period has passed.",
      do: "Call them, then search.", within: 2,
      until: "a check-in, or command stops the timer or accounts for the person",
      each: .checkIn, covers: true, for: .everyone),
    AlarmRule(
      .danger, .checkInGroup,
      "Several people of one check-in by command did not check in; one grace period has passed.",
      do: "Call them, then search.", within: 2,
      until: "at most one of them is missing", each: .batch, for: .everyone),
    AlarmRule(
      .danger, .overdue, "People are unaccounted for: the deadline of an order has passed.",
      do: "Call them, then search.", within: 2,
      until: "everyone is accounted for, or command closes the order", each: .order,
      for: .command),
    AlarmRule(
      .danger, .directive, "Command orders this person to leave.", do: "Go to the zone.",
      within: 2, until: "an answer or the arrival", each: .order, for: .user),
    AlarmRule(
      .danger, .hazard, "A report requests to evacuate, or has severity 4 or 5.",
      do: "Read it. Decide on an order.", within: 5,
      until: "the report is resolved", each: .report, for: .near),
    AlarmRule(
      .danger, .reportGroup, "More than three such reports of one author in ten minutes.",
      do: "Open it, read them. Decide on an order.", within: 5,
      until: "at most one of them is open", each: .author, for: .command),
    AlarmRule(
      .danger, .zoneRule, "A rule of a zone about the people inside is violated.",
      do: "Send someone, or call people out.", within: 5, until: "the rule is satisfied",
      each: .zone, for: .everyone),
    AlarmRule(
      .danger, .revoked, "This device was revoked.", do: "Report to command.", within: 10,
      until: "never", each: .device, for: .device),
    AlarmRule(
      .danger, .clone, "A device is in use in two places at once.",
      do: "Find both. Revoke the device.", within: 10, until: "one copy stops", each: .device,
      for: .everyone),
  ]

  private static let warnings = [
    AlarmRule(
      .warning, .unverifiedCall, "Someone who is not proven calls for help.",
      do: "Find out who calls. Confirm or close it.", within: 2,
      until: "each call is confirmed or closed", each: .operation, for: .commandAndReceiver),
    AlarmRule(
      .warning, .calledOff, "A person who called for help reports to be safe.",
      do: "Confirm by voice that it is they, and that they are safe.", within: 5,
      until: "command acknowledges it, or the person calls again", each: .person,
      for: .command),
    AlarmRule(
      .warning, .checkInGroup, "Several check-ins of one act by command are overdue.",
      do: "Call them.", within: 5, until: "at most one of them is missing", each: .batch,
      for: .everyone),
    AlarmRule(
      .warning, .checkIn, "A check-in is overdue, perhaps only by clocks.", do: "Call them.",
      within: 5, until: "a check-in, or command stops the timer or accounts for the person",
      each: .checkIn, covers: true, for: .everyone),
    AlarmRule(
      .warning, .overdue, "The deadline of an order may have passed.", do: "Call who is missing.",
      within: 5, until: "everyone is accounted for, or command closes the order", each: .order,
      for: .command),
    AlarmRule(
      .warning, .directive, "Command orders this person to a zone, or calls the roll.",
      do: "Go there, or answer.", within: 5, until: "an answer or the arrival", each: .order,
      for: .user),
    AlarmRule(
      .warning, .stillness, "This person has not moved.", do: "Check in.", within: 2,
      until: "a movement or a check-in", each: .checkIn, for: .user),
    AlarmRule(
      .warning, .inHazard, "This person is in a hazard zone, with a permit.",
      do: "Leave before it ends.", within: nil, until: "a new position outside", each: .zone,
      for: .user),
    AlarmRule(
      .warning, .hazard, "A report of severity 3 near people or zones, or one that is not proven.",
      do: "Read it.", within: 15, until: "the report is resolved", each: .report, for: .near),
    AlarmRule(
      .warning, .reportGroup, "More than three reports of one author in ten minutes.",
      do: "Open it, read them.", within: 15, until: "at most one of them is open", each: .author,
      for: .command),
    AlarmRule(
      .warning, .nearZone, "A person is closer to a zone than its rule allows.", do: "Call them.",
      within: 5, until: "a position farther away", each: .person, covers: true, for: .everyone),
    AlarmRule(
      .warning, .silentGroup, "Several people fell silent with a laptop in between.",
      do: "Call that laptop by voice, or send someone.", within: 10,
      until: "at most one of them is silent", each: .device, for: .everyone),
    AlarmRule(
      .warning, .silent, "Nothing was received from a person for the silence setting.",
      do: "Call them by voice.", within: 10, until: "contact, an accounting or a sign-off",
      each: .person, covers: true, for: .everyone),
    AlarmRule(
      .warning, .zoneRule, "A rule of a zone may be violated.", do: "Ask who is inside.",
      within: 10, until: "the rule is satisfied", each: .zone, for: .everyone),
    AlarmRule(
      .warning, .emptyFence, "A zone lacks the role that it needs.", do: "Send someone.",
      within: 15, until: "a person of the role is inside", each: .zone, for: .everyone),
    AlarmRule(
      .warning, .battery, "The battery of a person's device is low.",
      do: "Have it charged, or plan for silence.", within: 15,
      until: "it is charged, or contact is lost", each: .person, covers: true,
      for: .commandAndPerson),
    AlarmRule(
      .warning, .positionSource, "The receiver of this device gives no position.",
      do: "Check the receiver.", within: 10, until: "a fix", each: .device, for: .device),
    AlarmRule(
      .warning, .disk, "The disk of this device is almost full.", do: "Free some space.",
      within: 15, until: "there is space", each: .device, for: .device),
    AlarmRule(
      .warning, .webhook, "A webhook of this device delivers nothing.",
      do: "Check the receiver.", within: 15, until: "a delivery, or its removal",
      each: .webhook, for: .command),
    AlarmRule(
      .warning, .clock, "The clock of this device differs from the others.", do: "Correct it.",
      within: 60, until: "the clocks agree", each: .device, for: .device),
    AlarmRule(
      .warning, .sameCallsign, "Names of people are alike, or like a role or an id.",
      do: "Revoke the old laptop, or rename.", within: 60, until: "one has another name",
      each: .person, for: .command),
    AlarmRule(
      .warning, .bound, "A device sends more than others store.", do: "Find out why, or revoke it.",
      within: 60, until: "it stores less", each: .device, for: .everyone),
    AlarmRule(
      .warning, .disputed, "Members of a council want to revoke another.", do: "Vote.",
      within: 60, until: "the votes suffice or are withdrawn", each: .device, for: .command),
    AlarmRule(
      .warning, .readmission, "A revoked device asked to be admitted again.",
      do: "Find out who has it.", within: 60, until: "this node restarts", each: .device,
      for: .command),
    AlarmRule(
      .warning, .clockFault, "The clock of a device jumped, or its key is in use twice.",
      do: "Find out which.", within: 60, until: "its next start", each: .device, for: .command),
    AlarmRule(
      .warning, .stateFolder, "The folder that detects restored backups cannot be written.",
      do: "Correct its permissions.", within: 60, until: "it can be written", each: .device,
      for: .device),
  ]

  private static let messages = [
    AlarmRule(
      .message, .checkInReminder, "A check-in of this person is due soon.", do: "Check in.",
      within: nil, until: "a check-in", each: .checkIn, for: .user),
    AlarmRule(
      .message, .directive, "Command asks for a position, or sends a text.",
      do: "Read and answer it.", within: nil, until: "an answer", each: .order, for: .user),
    AlarmRule(
      .message, .hazard, "Any other report near people or zones.", do: "None.", within: nil,
      until: "the report is resolved", each: .report, for: .near),
    AlarmRule(
      .message, .reportGroup, "More than three minor reports of one author in ten minutes.",
      do: "None.", within: nil, until: "at most one of them is open", each: .author,
      for: .command),
    AlarmRule(
      .message, .safe, "A person in an order is safe.", do: "None.", within: nil,
      until: "they are not safe, or the order is closed", each: .person, for: .command),
    AlarmRule(
      .message, .orderDone, "Everyone in an order is accounted for.", do: "Close it.",
      within: nil, until: "the order is closed", each: .order, for: .command),
  ]

  private static let places: [Matter: Int] = {
    var places: [Matter: Int] = [:]
    // Calls for help have one place: none of them waits behind an acknowledged one.
    for (index, rule) in all.enumerated() {
      let place = rule.priority == .life ? 0 : index
      places[Matter(kind: rule.kind, level: rule.priority.level)] = place
    }
    return places
  }()

  private static let callKinds = Set(life.map(\.kind))

  private struct Matter: Hashable {
    let kind: AlertKind
    let level: AlertLevel
  }

  /// The place of alerts of a kind in the table; behind all others if it has none.
  static func place(of kind: AlertKind, _ level: AlertLevel) -> Int {
    places[Matter(kind: kind, level: level)] ?? all.count
  }

  /// The priority of alerts of a kind.
  static func priority(of kind: AlertKind, _ level: AlertLevel) -> AlertPriority {
    switch level {
    case .danger: callKinds.contains(kind) ? .life : .danger
    case .warning: .warning
    case .notice: .message
    }
  }
}

/// The place of an alert in every list: by priority, then by the alarm table, unacknowledged ones
/// first; of these the newest first, since they are news, and of acknowledged ones the oldest
/// first, since they have waited longest. Shelved ones are last.
public struct AlertPlace: Comparable, Sendable {
  private let isShelved: Int
  private let priority: Int
  private let place: Int
  private let isAcknowledged: Int
  private let time: Int64
  private let id: AlertID

  /// Returns the place of an alert.
  public init(_ alert: Alert) {
    isShelved = alert.shelving == nil ? 0 : 1
    priority = -Int(alert.priority.rawValue)
    place = AlarmRule.place(of: alert.id.kind, alert.level)
    isAcknowledged = alert.acknowledgement == nil ? 0 : 1
    time = isAcknowledged == 0 ? -alert.since.milliseconds : alert.since.milliseconds
    id = alert.id
  }

  /// Returns alerts in the order of every list, the most urgent first.
  public static func inOrder(_ alerts: some Sequence<Alert>) -> [Alert] {
    alerts.map { (place: AlertPlace($0), alert: $0) }.sorted { $0.place < $1.place }.map(\.alert)
  }

  /// Whether an alert with the left place is listed first.
  public static func < (left: AlertPlace, right: AlertPlace) -> Bool {
    let (first, second) = (
      (left.isShelved, left.priority, left.place, left.isAcknowledged, left.time),
      (right.isShelved, right.priority, right.place, right.isAcknowledged, right.time)
    )
    return first != second ? first < second : left.id < right.id
  }
}

extension Alert {
  /// How urgent it is, by the alarm table.
  public var priority: AlertPriority { AlarmRule.priority(of: id.kind, level) }

  /// Its row of the alarm table; nil for a kind that is no longer raised.
  public var rule: AlarmRule? {
    AlarmRule.all.first { $0.kind == id.kind && $0.priority == priority }
  }
}
