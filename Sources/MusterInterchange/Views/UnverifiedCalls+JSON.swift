public import MusterModel

extension UnverifiedCalls {
  /// The JSON of `call list`.
  public var json: JSON {
    .object(["items": .array(items.map(\.json)), "further": .count(further)])
  }
}

extension UnverifiedCallSummary {
  /// The JSON of one call.
  public var json: JSON {
    JSON.object([
      "id": .id(id), "name": .string(name), "address": .string(address), "note": .string(note),
      "cause": .string(cause.name), "madeAt": .known(madeAt, JSON.time),
      "receivedAt": .time(receivedAt), "receivedBy": .string(receivedBy),
      "messages": .count(Int(messages)), "others": .count(Int(others)),
      "state": .string(state.name), "reason": .string(reason), "person": .known(person, JSON.id),
      "personName": .string(personName), "decidedBy": .string(decidedBy),
      "decidedAt": .known(decidedAt, JSON.time),
    ]).adding(JSON.place(position))
  }
}
