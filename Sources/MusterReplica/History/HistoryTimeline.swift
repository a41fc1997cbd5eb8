internal import MusterModel
internal import MusterStore

/// The events of a range of time, from what the node holds: changes of statuses as it showed them,
/// and entries, reports, zones, orders and check-ins by the clocks of their authors.
struct HistoryTimeline {
  let statuses: StatusQueries
  let queries: Queries
  let reader: HistoryReader
  /// Whether the reader of the timeline is no commander (decision 0047).
  let hidesDuress: Bool

  /// Returns a page in the order of time.
  ///
  /// - Parameter cursor: the `next` of the page before; nil for the first.
  func events(
    in range: ClosedRange<Timestamp>, after cursor: HistoryCursor?, limit: Int
  ) throws -> HistoryEventPage {
    let first = max(range.lowerBound, cursor?.time ?? range.lowerBound)
    guard first <= range.upperBound else { return HistoryEventPage(events: [], next: nil) }
    let rest = first...range.upperBound
    var sorted =
      try statusEvents(in: rest, limit: limit).map {
        (place: HistoryCursor($0.event), source: Source.status($0.event, of: $0.user))
      }
      + (rows() + directed()).filter { rest.contains($0.time) }.map {
        (place: HistoryCursor($0), source: Source.event($0))
      }
      + crossings(in: rest, after: cursor, limit: limit + 1)
    if let cursor { sorted.removeAll { $0.place <= cursor } }
    sorted.sort { $0.place < $1.place }
    let page = sorted.prefix(limit)
    var callsigns: [UserID: String] = [:]
    return HistoryEventPage(
      events: try page.map { try event(of: $0.source, &callsigns) },
      next: sorted.count > limit ? page.last?.place : nil)
  }

  /// A crossing, and the callsign of a status, are looked up when they are on the page: a day has
  /// many.
  private enum Source {
    case event(HistoryEvent)
    case status(HistoryEvent, of: UserID)
    case crossing(ArrivedCrossing)
  }

  /// - Parameter callsigns: those that were looked up for this page.
  private func event(
    of source: Source, _ callsigns: inout [UserID: String]
  ) throws -> HistoryEvent {
    switch source {
    case .event(let event): return event
    case .status(var event, let user):
      event.callsign = try callsigns[user] ?? statuses.context.callsign(of: user)
      callsigns[user] = event.callsign
      return event
    case .crossing(let arrived):
      let crossing = try statuses.context.summary(arrived)
      let recorded = arrived.recorded
      let user =
        recorded.crossing.subject == recorded.author.device
        ? "\(recorded.author.user)" : "\(crossing.subject)"
      return HistoryEvent(
        time: crossing.sampleTime, kind: .crossing, id: "\(crossing.id)",
        callsign: crossing.callsign, what: crossing.type.name, text: crossing.fenceName,
        row: user, position: crossing.position)
    }
  }

  /// Returns the status events that can be on a page or show that it is not the last, and further
  /// ones. A day has many: periods after those of the page are not read.
  private func statusEvents(
    in range: ClosedRange<Timestamp>, limit: Int
  ) throws -> [(event: HistoryEvent, user: UserID)] {
    var events: [(event: HistoryEvent, user: UserID)] = []
    try reader.readChanges(in: range) { changes, next in
      for change in changes {
        let event = event(of: change)
        guard range.contains(event.time),
          let shown = hidesDuress ? event.withoutDuress : event
        else { continue }
        events.append((shown, change.user))
      }
      guard let next else { return true }
      // Those at the start of the range may have been on the page before.
      return events.count { range.lowerBound < $0.event.time && $0.event.time < next } <= limit
    }
    return events
  }

  /// Returns an event without the callsign of its person.
  private func event(of change: HistoryReader.Change) -> HistoryEvent {
    let (user, after) = (change.user, change.entry.conditions)
    let decisive = StatusCondition.decisive(of: after)
    return HistoryEvent(
      time: Timestamp(milliseconds: change.entry.learnt), kind: .status, id: "\(user)",
      severity: after.isEmpty ? .neutral : decisive.severity,
      callsign: "", what: after.isEmpty ? "" : decisive.status.rawValue,
      text: after.isEmpty ? Phrase(.notListed).text : decisive.reason, row: "\(user)",
      conditions: HistoryEvent.Conditions(
        before: change.before, after: after,
        since: Timestamp(milliseconds: change.entry.event)))
  }

  /// Returns the first crossings after a cursor: those of the page, and one to show that the page
  /// is not the last.
  private func crossings(
    in range: ClosedRange<Timestamp>, after cursor: HistoryCursor?, limit: Int
  ) throws(StoreError) -> [(place: HistoryCursor, source: Source)] {
    let id = cursor.flatMap { $0.time == range.lowerBound ? $0.lastCrossing : nil }
    return try statuses.context.store.crossings(sampledIn: range, after: id, limit: limit).map {
      let (id, time) = ($0.recorded.id, $0.recorded.crossing.fix.sampleTime)
      return (HistoryCursor(.crossing, "\(id)", at: time), .crossing($0))
    }
  }

  private func rows() throws -> [HistoryEvent] {
    let reports = try queries.reports().map { report in
      HistoryEvent(
        time: report.createdAt, kind: .report, id: "\(report.id)",
        severity: report.severity.map { $0 >= 4 ? .warning : .neutral } ?? .neutral,
        callsign: report.ownerCallsign, what: report.category.name, text: report.title,
        row: "\(report.id)", position: report.position)
    }
    let fences = try queries.fences().map { fence in
      HistoryEvent(
        time: fence.createdAt, kind: .zone, id: "\(fence.id)",
        severity: fence.kind == .hazard ? .danger : .neutral, callsign: "",
        what: fence.kind.name, text: fence.name, row: "\(fence.id)")
    }
    return reports + fences
  }

  private func directed() throws -> [HistoryEvent] {
    let orders = try statuses.directives().map { order in
      HistoryEvent(
        time: order.createdAt, kind: .order, id: "\(order.id)",
        severity: order.kind == .evacuate ? .danger : .neutral, callsign: order.callsign,
        what: order.kind.name, text: order.text, row: "\(order.id)")
    }
    let checkIns = try statuses.checkIns().flatMap { timer -> [HistoryEvent] in
      var events = [
        HistoryEvent(
          time: timer.startedAt, kind: .checkIn, id: "\(timer.id)-0", callsign: timer.callsign,
          what: "started", text: timer.note, row: "\(timer.user)")
      ]
      if let report = timer.report, let time = timer.reportedAt {
        events.append(
          HistoryEvent(
            time: time, kind: .checkIn, id: "\(timer.id)-1", callsign: timer.callsign,
            what: report.kind.name, text: report.note, row: "\(timer.user)"))
      }
      return events
    }
    return orders + checkIns
  }
}

extension HistoryCursor {
  /// The greatest id of a crossing of this time that comes before; nil if every one comes after.
  fileprivate var lastCrossing: CrossingID? {
    let least = HistoryCursor(.crossing, "", at: time)
    guard self > least else { return nil }
    let digits = name.dropFirst(least.name.count)
    guard name.hasPrefix(least.name) else { return CrossingID(raw: Bytes16(high: .max, low: .max)) }
    return CrossingID(hex: String(digits))
  }
}
