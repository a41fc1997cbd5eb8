public import MusterModel

extension MeshLink {
  /// The JSON of `peers --mesh`. The age is by the reader's clock.
  public func json(now: Timestamp) -> JSON {
    .object([
      "from": .id(from), "fromCallsign": .string(fromCallsign), "to": .id(to),
      "toCallsign": .string(toCallsign), "path": .string(path.name), "since": .time(since),
      "toldAt": .time(reportedAt), "ageSeconds": .integer(ageSeconds(now: now)),
      "isMutual": .bool(isMutual), "isCurrent": .bool(isCurrent),
      "behindFrames": .known(behindFrames, JSON.unsigned),
    ])
  }

  /// Seconds since the link was reported; never negative.
  public func ageSeconds(now: Timestamp) -> Int64 {
    max(0, now.milliseconds(since: reportedAt) / 1000)
  }
}
