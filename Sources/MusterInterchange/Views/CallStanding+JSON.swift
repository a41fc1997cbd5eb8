public import MusterModel

extension CallStanding {
  /// The JSON of `sos --json` and `GET me/call`.
  public var json: JSON {
    .object([
      "user": .id(user), "callsign": .string(callsign), "note": .string(note),
      "madeAt": .known(moment, JSON.time), "open": .bool(isOpen),
      "state": .string(stage.rawValue), "atCommand": .bool(isAtCommand),
      "seenBy": .array(seen.map(\.json)), "answers": .array(answers.map(\.json)),
    ])
  }
}

extension CallStanding.Sighting {
  fileprivate var json: JSON {
    .object([
      "name": .string(name), "role": .string(role.name), "via": .known(via, JSON.string),
      "at": .known(moment, JSON.time),
    ])
  }
}

extension CallStanding.Text {
  fileprivate var json: JSON {
    .object([
      "id": .id(id), "text": .string(text), "name": .string(name),
      "at": .known(moment, JSON.time), "read": .bool(isRead),
    ])
  }
}
