internal import MusterCrypto
public import MusterModel
internal import MusterStore
internal import MusterSync

/// Salvaged frames are held again once they follow held frames and a signature proves them, as if a
/// peer had sent them.
extension Replica {
  private static let framesAtOnce = 2048

  /// Joins salvaged frames: in all logs at the start, and later in logs that have grown.
  mutating func joinSetAside(now: ClockReading) throws {
    while let next = recovery.takeJoinable() {
      let roster = control.roster()
      while try joinNext(of: next, roster: roster, now: now) {}
      // An unknown author may be certified by the joined frames.
      if control.roster() != roster { try findJoinable() }
    }
  }

  /// Marks all salvaged frames to be tried.
  mutating func findJoinable() throws(StoreError) {
    let logs = Set(try store.logsSetAside())
    var joinable: Set<JoinableLog> = []
    for log in logs {
      joinable.insert(JoinableLog(log: log, isControl: try lane(of: log) == .control))
    }
    recovery.setAside(logs, joinable: joinable)
  }

  private func lane(of log: LogID) throws(StoreError) -> Lane? {
    if let held = try store.log(log) { return held.opening.lane }
    return try openingSetAside(of: log)?.lane
  }

  private static let openingCopies = 64

  /// Returns the content of frame 0, from an intact copy.
  private func openingSetAside(of log: LogID) throws(StoreError) -> Opening? {
    try store.framesSetAside(of: log, from: 0, limit: Self.openingCopies)
      .first { Self.log(openedBy: $0, operation: local.operation) == log }
      .flatMap(Self.opening)
  }

  /// Holds the next possible run of a log, whichever of its strands it continues. Returns whether
  /// there may be more to join.
  private mutating func joinNext(
    of log: LogID, roster: Roster, now: ClockReading
  ) throws -> Bool {
    let strands = try store.strands(of: log)
    var found = strands.first?.opening
    if found == nil { found = try openingSetAside(of: log) }
    guard let opening = found,
      let key = roster.signingKey(of: opening.certificate, rootKey: local.rootKey)
    else { return false }
    guard let frames = try nextRun(of: log, strands: strands, key: key) else {
      try settle(log, strands: strands, now: now)
      return false
    }
    var isHeld = true
    if strands.isEmpty {
      try hold(frames, opening: opening, now: now)
      try commit(now: now)
      try run(.appended(opening, frames), now: now)
    } else {
      isHeld = try attach(frames, opening: opening, from: local.device, now: now)
    }
    transaction.batch.settled += frames.map {
      SettledFrame(log: log, sequence: $0.sequence, hash: $0.hash)
    }
    if isHeld { try commit(now: now) } else { transaction.batch.settled = [] }
    return isHeld
  }

  /// Returns the frames that follow a held frame, or start an unheld log, up to the last that a
  /// signature proves.
  private func nextRun(
    of log: LogID, strands: [LogSummary], key: VerifyingKey
  ) throws(StoreError) -> [Frame]? {
    let tips = strands.filter { !$0.isParted }.map { (sequence: $0.head.sequence, $0.head.hash) }
    for (sequence, hash) in tips {
      let loose = try store.framesSetAside(of: log, from: sequence + 1, limit: Self.framesAtOnce)
      if let run = proved(chain(of: loose, from: sequence + 1, after: hash, key: key)) {
        return run
      }
    }
    if strands.isEmpty {
      let loose = try store.framesSetAside(of: log, from: 0, limit: Self.framesAtOnce)
      return proved(chain(of: loose, from: 0, after: .none, key: key))
    }
    // Another branch, which forks from an earlier held frame.
    var place: UInt64 = 1
    while true {
      let loose = try store.framesSetAside(of: log, from: place, limit: Self.framesAtOnce)
      for frame in loose where try store.strand(of: frame.hash, in: log) == nil {
        for previous in try hashes(before: frame.sequence, in: strands) {
          let rest = loose.filter { $0.sequence > frame.sequence }
          let branch = chain(
            of: [frame] + rest, from: frame.sequence, after: previous, key: key)
          if let run = proved(branch) { return run }
        }
      }
      guard let last = loose.last, loose.count == Self.framesAtOnce else { return nil }
      place = last.sequence + 1
    }
  }

  private func proved(_ chain: [Frame]) -> [Frame]? {
    chain.lastIndex { $0.signature != nil }.map { Array(chain[...$0]) }
  }

  /// Returns the hashes that a frame may follow.
  private func hashes(
    before sequence: UInt64, in strands: [LogSummary]
  ) throws(StoreError) -> Set<FrameHash> {
    var hashes: Set<FrameHash> = []
    for strand in strands where strand.head.sequence + 1 >= sequence && strand.first < sequence {
      let place = FramePlace(log: strand.head.log, sequence: sequence - 1)
      if let hash = try store.hash(of: place) { hashes.insert(hash) }
    }
    return hashes
  }

  /// Deletes copies of held frames, and copies that follow nothing once all their possible
  /// predecessors are held.
  private mutating func settle(
    _ log: LogID, strands: [LogSummary], now: ClockReading
  ) throws {
    guard let reach = strands.map(\.head.sequence).max() else { return }
    var place: UInt64 = 0
    while true {
      let loose = try store.framesSetAside(of: log, from: place, limit: Self.framesAtOnce)
      for frame in loose where frame.sequence <= reach + 1 {
        let isHeld = try store.strand(of: frame.hash, in: log) != nil
        let follows = try hashes(before: frame.sequence, in: strands).contains {
          frame.following($0).computedHash(operation: local.operation) == frame.hash
        }
        guard isHeld || !follows else { continue }
        transaction.batch.settled.append(
          SettledFrame(log: log, sequence: frame.sequence, hash: frame.hash))
      }
      guard let last = loose.last, loose.count == Self.framesAtOnce else { break }
      place = last.sequence + 1
    }
    try commit(now: now)
    if try store.framesSetAside(of: log, from: 0, limit: 1).isEmpty { recovery.noteJoined(log) }
  }

  /// Returns frames with correct hashes, one per sequence, contiguous from the first sequence. Of
  /// two copies the one with a valid signature is used; an invalid signature is omitted.
  private func chain(
    of loose: [SalvagedFrame], from first: UInt64, after previous: FrameHash, key: VerifyingKey
  ) -> [Frame] {
    var chain: [Frame] = []
    for copy in loose {
      let expected = first + UInt64(chain.count)
      let isCopy = copy.sequence + 1 == expected && chain.last?.signature == nil
      guard copy.sequence == expected || isCopy && !chain.isEmpty else { continue }
      let before = chain.dropLast(isCopy ? 1 : 0).last?.hash ?? previous
      var frame = copy.following(before)
      guard frame.computedHash(operation: local.operation) == frame.hash else { continue }
      if !frame.isSigned(by: key) { frame.signature = nil }
      if isCopy {
        if frame.hash == chain.last?.hash { chain[chain.count - 1] = frame }
      } else {
        chain.append(frame)
      }
    }
    return chain
  }
}

// MARK: - Missing frames

/// Frames that were held or written here, and are lost.
public struct MissingFrames: Hashable, Sendable {
  /// The log.
  public let log: LogID
  /// The author's callsign, or else the first digits of their id; nil if even that is unknown.
  public let callsign: String?
  /// The sequences of the frames.
  public let sequences: ClosedRange<UInt64>
  /// Whether an unknown number of further frames followed them.
  public let isFloor: Bool
}

extension Replica {
  /// Returns the frames that damage took and no peer has sent again yet, by log and sequence.
  public func missingFrames() throws -> [MissingFrames] {
    var missing: [MissingFrames] = []
    for known in try store.missedHeads() {
      let callsign = try control.author(of: known.certificate).map {
        try context.callsign(of: $0.user)
      }
      for range in try gaps(in: known) {
        missing.append(
          MissingFrames(
            log: known.log, callsign: callsign, sequences: range,
            isFloor: range.upperBound >= known.sequence))
      }
    }
    return missing
  }

  private func gaps(in known: KnownHead) throws(StoreError) -> [ClosedRange<UInt64>] {
    let held = try store.strands(of: known.log).map(\.head).max { $0.sequence < $1.sequence }
    var finder = GapFinder(operation: local.operation, known: known.sequence, held: held)
    var place = finder.first
    while true {
      let loose = try store.framesSetAside(of: known.log, from: place, limit: Self.framesAtOnce)
      for copy in loose { finder.add(copy) }
      guard let last = loose.last, loose.count == Self.framesAtOnce else { break }
      place = last.sequence + 1
    }
    return finder.finish()
  }
}
