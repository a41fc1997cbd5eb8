/// Which knowledge a replay of the past uses.
public enum HistoryView: String, Codable, Sendable, Hashable, CaseIterable {
  /// What is known now about that time: what happened.
  case event
  /// What the node had received by then: what it showed.
  case known
}

/// Everybody's place and status at an instant, as one node recorded them.
public struct HistoryPicture: Codable, Hashable, Sendable {
  /// The instant, by the node's wall clock.
  public var at: Timestamp
  /// Which knowledge it uses.
  public var view: HistoryView
  /// The first instant of the history; nil while nothing is recorded.
  public var begins: Timestamp?
  /// The node's wall clock.
  public var now: Timestamp
  /// When the node did not record, since the history begins; the oldest first.
  public var gaps: [HistoryGap] = []
  /// In the order of lists. Empty before the history begins.
  public var people: [HistoricPerson] = []
  /// Zones that are different or deleted now, as they were, by id.
  public var zones: [HistoricZone] = []
  /// Reports that are different or deleted now, as they were, by id.
  public var reports: [HistoricReport] = []
  /// Zones and reports of now that were not there, by id, among those that changed since. Others
  /// are there from their `createdAt` on.
  public var absent: [RowID] = []

  /// Creates a picture without people.
  public init(at: Timestamp, view: HistoryView, begins: Timestamp?, now: Timestamp) {
    self.at = at
    self.view = view
    self.begins = begins
    self.now = now
  }
}

/// A range of time in which a node did not record: it was off, or its clock was changed.
public struct HistoryGap: Codable, Hashable, Sendable {
  /// The last instant before it that is certainly recorded.
  public var from: Timestamp
  /// The first instant after it that is recorded.
  public var to: Timestamp

  /// Creates a gap.
  public init(from: Timestamp, to: Timestamp) {
    self.from = from
    self.to = to
  }
}

/// A zone at an instant of the past, with the shown value of each field.
public struct HistoricZone: Codable, Hashable, Sendable {
  /// The row, which may be deleted now.
  public var id: RowID
  /// The name.
  public var name: String
  /// Whether it is a hazard, an assembly zone, or neither.
  public var kind: FenceKind
  /// Whether it was evaluated.
  public var isActive: Bool
  /// The outline.
  public var geometry: FenceGeometry

  /// Creates a zone.
  public init(id: RowID, name: String, kind: FenceKind, isActive: Bool, geometry: FenceGeometry) {
    self.id = id
    self.name = name
    self.kind = kind
    self.isActive = isActive
    self.geometry = geometry
  }
}

/// A report at an instant of the past, with the shown value of each field.
public struct HistoricReport: Codable, Hashable, Sendable {
  /// The row, which may be deleted now.
  public var id: RowID
  /// The title.
  public var title: String
  /// `other` if its author did not state one.
  public var category: ReportCategory
  /// 1 to 5; nil if its author did not state one.
  public var severity: UInt8?
  /// Nil without a position.
  public var position: Coordinate?
  /// Whether it demanded evacuation.
  public var toEvacuate: Bool
  /// Open or resolved.
  public var status: ReportStatus

  /// Creates a report without severity and position.
  public init(
    id: RowID, title: String, category: ReportCategory, toEvacuate: Bool, status: ReportStatus
  ) {
    self.id = id
    self.title = title
    self.category = category
    self.toEvacuate = toEvacuate
    self.status = status
  }
}

/// A person at an instant of the past.
public struct HistoricPerson: Codable, Hashable, Sendable {
  /// Place and status then; callsign, role and team as of now.
  public var summary: UserSummary
  /// When the status began, as the node estimates it. Nil for a reader who may see no call under
  /// duress.
  public var since: Timestamp?
  /// The estimated time of the fix; nil without one.
  public var fixTime: Timestamp?
  /// The earliest possible time of the fix; nil if nothing bounds it.
  public var fixEarliest: Timestamp?
  /// The latest possible time of the fix; nil without one.
  public var fixLatest: Timestamp?
  /// When the node received the fix; nil without one.
  public var fixReceived: Timestamp?

  /// Creates a person without a fix.
  public init(summary: UserSummary, since: Timestamp?) {
    self.summary = summary
    self.since = since
  }
}

/// The kinds of events in the timeline.
public enum HistoryEventKind: String, Codable, Sendable, Hashable, CaseIterable {
  /// The status of a person changed at this node.
  case status
  /// A subject entered or left a zone.
  case crossing
  case report
  case zone
  case order
  /// A check-in was started, or answered.
  case checkIn
}

/// One event of the timeline.
public struct HistoryEvent: Codable, Hashable, Sendable {
  /// When it happened: for a status when this node first showed it, for others by the clock of the
  /// device that wrote it.
  public var time: Timestamp
  /// The kind of event.
  public var kind: HistoryEventKind
  /// Distinguishes events of one time and kind; ascends in the order of the timeline.
  public var id: String
  /// The severity of a status; danger for a hazard zone and an evacuation; neutral for others.
  public var severity: Severity
  /// The person, or the author. Empty if it is not known.
  public var callsign: String
  /// The status, `ENTER` or `EXIT`, the kind of zone, order or answer.
  public var what: String
  /// The name of the zone, the title of the report, the reason, or the text.
  public var text: String
  /// The id of the row or the person to show, in hexadecimal.
  public var row: String
  /// Nil without a place.
  public var position: Coordinate?
  /// Of a status: the conditions before and after.
  public var conditions: Conditions?

  /// How a person was shown before and after a change.
  public struct Conditions: Codable, Hashable, Sendable {
    /// Empty for a person who was not listed.
    public var before: [StatusCondition]
    /// Empty for a person who is no longer listed.
    public var after: [StatusCondition]
    /// When the status began, as the node estimates it. Nil for a reader who may see no call under
    /// duress.
    public var since: Timestamp?

    /// Creates a change.
    public init(before: [StatusCondition], after: [StatusCondition], since: Timestamp?) {
      self.before = before
      self.after = after
      self.since = since
    }
  }

  /// Creates an event.
  public init(
    time: Timestamp, kind: HistoryEventKind, id: String, severity: Severity = .neutral,
    callsign: String, what: String, text: String, row: String, position: Coordinate? = nil,
    conditions: Conditions? = nil
  ) {
    self.time = time
    self.kind = kind
    self.id = id
    self.severity = severity
    self.callsign = callsign
    self.what = what
    self.text = text
    self.row = row
    self.position = position
    self.conditions = conditions
  }
}

/// The position of an event in the timeline.
public struct HistoryCursor: Codable, Hashable, Comparable, Sendable {
  /// The time of the event.
  public let time: Timestamp
  /// Orders events of one time.
  public let name: String

  /// Returns the position of an event.
  public init(_ event: HistoryEvent) { self.init(event.kind, event.id, at: event.time) }

  /// Returns the position of an event with these members.
  public init(_ kind: HistoryEventKind, _ id: String, at time: Timestamp) {
    (self.time, name) = (time, "\(kind.rawValue)-\(id)")
  }

  /// Parses the `next` of a page; nil for any other text.
  public init?(_ text: String) {
    let parts = text.split(separator: "-", maxSplits: 1)
    guard parts.count == 2, let milliseconds = Int64(parts[0]) else { return nil }
    (time, name) = (Timestamp(milliseconds: milliseconds), String(parts[1]))
  }

  /// The text that `init(_:)` parses.
  public var text: String { "\(time.milliseconds)-\(name)" }

  /// Orders by time.
  public static func < (left: Self, right: Self) -> Bool {
    (left.time, left.name) < (right.time, right.name)
  }
}

/// A page of the timeline.
public struct HistoryEventPage: Codable, Hashable, Sendable {
  /// In the order of time.
  public var events: [HistoryEvent]
  /// Where the next page begins; nil after the last.
  public var next: HistoryCursor?

  /// Creates a page.
  public init(events: [HistoryEvent], next: HistoryCursor?) {
    self.events = events
    self.next = next
  }
}

// MARK: - Without calls under duress

extension HistoryPicture {
  /// The picture as everyone but command may see it. The start of no status is stated: that of a
  /// person under duress would differ from what they see. The order of people shows none either.
  public var withoutDuress: HistoryPicture {
    var picture = self
    for index in people.indices {
      picture.people[index].summary = people[index].summary.withoutDuress
      picture.people[index].since = nil
    }
    picture.people.sort { UserSummary.isListed($0.summary, before: $1.summary) }
    return picture
  }
}

extension HistoryEvent {
  /// Of a status: its text.
  public var phrase: Phrase? {
    conditions.map { change in
      change.after.isEmpty
        ? Phrase(.notListed) : StatusCondition.decisive(of: change.after).phrase
    }
  }

  /// The event as everyone but command may see it; nil if only a call under duress explains it. A
  /// page MUST be cut after this, or its length and its `next` would show the call.
  public var withoutDuress: HistoryEvent? {
    guard var conditions else { return self }
    let isCall = (conditions.before + conditions.after).contains(.underDuress)
    conditions.before = conditions.before.withoutDuress
    conditions.after = conditions.after.withoutDuress
    conditions.since = nil
    var event = self
    event.conditions = conditions
    guard isCall else { return event }
    guard conditions.before != conditions.after else { return nil }
    let decisive = StatusCondition.decisive(of: conditions.after)
    (event.severity, event.what, event.text) =
      (decisive.severity, decisive.status.rawValue, decisive.reason)
    return event
  }
}

extension [StatusCondition] {
  fileprivate var withoutDuress: [StatusCondition] {
    let rest = filter { $0 != .underDuress }
    return rest.isEmpty && !isEmpty ? [.inContact] : rest
  }
}
