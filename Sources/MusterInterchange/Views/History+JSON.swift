public import MusterModel

extension HistoryPicture {
  /// The JSON of `history --at`.
  public var json: JSON {
    .object([
      "at": .time(at), "view": .string(view.rawValue), "begins": .known(begins, JSON.time),
      "now": .time(now), "people": .array(people.map(\.json)),
    ])
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
      "row": .string(row), "since": .known(conditions?.since, JSON.time),
    ]).adding(JSON.place(position))
  }
}
