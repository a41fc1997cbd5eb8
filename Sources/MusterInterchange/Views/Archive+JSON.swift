public import MusterModel

extension ArchivedOperation {
  /// The JSON of `muster-archive status`.
  public var json: JSON {
    .object([
      "operation": .id(id), "name": .string(name), "logs": .count(logs), "frames": .count(frames),
      "forks": .count(forks), "stateHash": .known(stateHash) { .string($0.description) },
      "projectedAt": .known(projectedAt, JSON.string),
      "posts": .array(
        posts.map {
          .object([
            "device": .id($0.device), "offered": .count($0.offered), "stored": .count($0.stored),
            "refused": .count($0.refused), "lastAt": .string($0.lastAt),
          ])
        }),
    ])
  }
}

extension ArchiveFinding {
  /// The JSON of `muster-archive search`.
  public var json: JSON {
    JSON.object([
      "kind": .string(kind), "operation": .string(operation), "operationId": .id(operationID),
      "id": .string(id),
      "at": .known(at, JSON.string), "text": .string(text), "callsign": .string(callsign),
    ]).adding(JSON.place(position))
  }
}
