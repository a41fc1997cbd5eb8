internal import MusterModel

/// New data to broadcast: a few frames of one log, or a few records; never empty.
enum Fresh: Sendable {
  /// With the hash of the frame before.
  case frames([Frame], Lane, after: FrameHash)
  case records([LatestRecord])

  /// The key from which device tags are derived.
  var key: Bytes16 {
    switch self {
    case .frames(let frames, _, _): frames[0].strand.raw
    case .records(let records): records[0].topic.raw
    }
  }

  /// The log of frames; nil for records.
  var log: LogID? {
    guard case .frames(let frames, _, _) = self else { return nil }
    return frames[0].strand
  }

  /// About how many bytes a multicast of it takes, apart from the covered devices.
  var bytes: Int {
    let bodies =
      switch self {
      case .frames(let frames, _, _): frames.map(\.body.count)
      case .records(let records): records.map(\.body.count)
      }
    return 170 + bodies.reduce(0) { $0 + $1 + 80 }
  }

  /// Whether it consists of neighbour records, which have the lowest priority.
  var isOfNeighbours: Bool {
    guard case .records(let records) = self else { return false }
    return records.allSatisfy { $0.kind == .neighbours }
  }

  /// Whether every device sends such records again and again: a peer that misses one gets another.
  var isPeriodic: Bool {
    guard case .records(let records) = self else { return false }
    return records.allSatisfy { record in
      switch record.kind {
      case .position, .trackerPosition, .presence, .neighbours: true
      case .receipt, .blobReceipt, .otherIncarnations, .clone: false
      }
    }
  }

  /// The positions of people and trackers in it.
  var positions: [LatestRecord] {
    guard case .records(let records) = self else { return [] }
    return records.filter { $0.kind == .position || $0.kind == .trackerPosition }
  }

  /// Whether the next records replace it.
  var isReplaceable: Bool {
    guard case .records = self else { return false }
    return true
  }

  /// Whether it is presence records alone.
  var isPresence: Bool {
    guard case .records(let records) = self else { return false }
    return records.allSatisfy { $0.kind == .presence }
  }

  var isUrgent: Bool {
    guard case .frames(_, .urgent, _) = self else { return false }
    return true
  }

  var relayMillisecondsPerPeer: Int64 {
    switch self {
    case .frames: Timing.relayMillisecondsPerPeer
    case .records: Timing.recordRelayMillisecondsPerPeer
    }
  }

  /// The priority of a multicast of it.
  var importance: Outbox.Importance {
    switch self {
    case .frames(_, let lane, _): lane == .urgent ? .urgent : .control
    case .records(let records): Outbox.Importance(records)
    }
  }

  /// Returns whether a run contains all of these frames. These were verified, so equal bodies at
  /// equal positions are the same frames.
  func isContained(in run: Run) -> Bool {
    guard case .frames(let frames, _, _) = self else { return false }
    return frames.allSatisfy { frame in
      guard frame.strand == run.log, frame.sequence >= run.first else { return false }
      let place = frame.sequence - run.first
      return place < UInt64(run.frames.count) && run.frames[Int(place)].body == frame.body
    }
  }

  /// Returns whether these records, or newer ones of their topics, are among others.
  func isContained(in records: [LatestRecord]) -> Bool {
    guard case .records(let own) = self else { return false }
    return own.allSatisfy { waits in
      records.contains { $0.topic == waits.topic && waits.version <= $0.version }
    }
  }

  /// Returns whether other new data contains all of this.
  func isContained(in other: Fresh) -> Bool {
    switch (self, other) {
    case (.records, .records(let records)): isContained(in: records)
    case (.frames(let own, _, _), .frames(let others, _, _)):
      own[0].strand == others[0].strand && others[0].sequence <= own[0].sequence
        && own[own.count - 1].sequence <= others[others.count - 1].sequence
    default: false
    }
  }

  /// Whether a request for it is answered by one multicast: the narrower the links, the more is.
  func isAnsweredToAll(narrowness: Int64) -> Bool { draw < narrowness }

  /// A number from 0 to 999 that every device computes alike for the same data.
  var draw: Int {
    let number: UInt64 =
      switch self {
      case .frames(let frames, _, _): frames[frames.count - 1].sequence
      case .records(let records): records[0].order.counter
      }
    let mixed = (key.high ^ number) &* 0x9E37_79B9_7F4A_7C15
    return Int((mixed >> 32) % 1000)
  }
}
