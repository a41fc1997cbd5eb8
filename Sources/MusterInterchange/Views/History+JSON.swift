public import MusterModel

extension HistoryPicture {
  /// The JSON of `history --at`.
  public var json: JSON {
    .object([
      "at": .time(at), "view": .string(view.rawValue), "begins": .known(begins, JSON.time),
      "now": .time(now), "gaps": .array(gaps.map(\.json)), "people": .array(people.map(\.json)),
      "zones": .array(zones.map(\.json)), "reports": .array(reports.map(\.json)),
      "absent": .array(absent.map(JSON.id)),
    ])
  }
}

extension HistoryGap {
  /// Both ends.
  public var json: JSON { .object(["from": .time(from), "to": .time(to)]) }
}

extension HistoricZone {
  /// As in `fence list`, with the outline of a polygon.
  public var json: JSON {
    FenceSummary.shape(of: geometry, withOutline: true).adding([
      "id": .id(id), "name": .string(name), "kind": .string(kind.name), "active": .bool(isActive),
    ])
  }
}

extension HistoricReport {
  /// As in `report list`.
  public var json: JSON {
    JSON.object([
      "id": .id(id), "title": .string(title), "category": .string(category.name),
      "severity": .known(severity) { .count(Int($0)) }, "toEvacuate": .bool(toEvacuate),
      "status": .string(status.name),
    ]).adding(JSON.place(position))
  }
}

extension HistoricPerson {
  /// As in `user list`, with the times of the status and of the fix.
  public var json: JSON {
    summary.json.adding([
      "since": .known(since, JSON.time), "fixTime": .known(fixTime, JSON.time),
      "fixEarliest": .known(fixEarliest, JSON.time), "fixLatest": .known(fixLatest, JSON.time),
      "fixReceived": .known(fixReceived, JSON.time),
    ])
  }
}

extension HistoryEvent {
  /// The JSON of `history --from`.
  public var json: JSON {
    JSON.object([
      "time": .time(time), "kind": .string(kind.rawValue), "severity": .string(severity.rawValue),
      "callsign": .string(callsign), "what": .string(what), "text": .string(text),
      "phrase": .known(phrase, \.json),
      "row": .string(row), "since": .known(conditions?.since, JSON.time),
    ]).adding(JSON.place(position))
  }
}
