public import MusterModel

extension RosterPerson {
  /// The JSON of `roster list`.
  public var json: JSON {
    .object([
      "id": .id(id), "name": .string(entry.name), "team": .string(entry.team),
      "role": .string(entry.function), "phone": .string(entry.phone),
      "hasArrived": .bool(hasArrived),
      "namesakes": .array(
        namesakes.map {
          .object([
            "id": .id($0.id), "callsign": .string($0.callsign), "isTracker": .bool($0.isTracker),
          ])
        }),
    ])
  }
}
