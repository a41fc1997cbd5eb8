internal import MusterCrypto
public import MusterModel
internal import MusterStore
internal import MusterSync

/// Frames that damage set aside are held again once they follow what is held and a signature proves
/// them, as if a peer had sent them.
extension Replica {
  private static let framesAtOnce = 2048

  /// Joins on what can be joined: all of it at the start, and later in logs that have grown.
  mutating func joinSetAside(now: ClockReading) throws {
    while !joinable.isEmpty {
      let logs = joinable.sorted { ($0.isControl ? 0 : 1, $0.log) < ($1.isControl ? 0 : 1, $1.log) }
      guard let next = logs.first else { return }
      joinable.remove(next)
      let roster = control.roster([:])
      while try joinNext(of: next.log, now: now) {}
      // Who was unknown may be certified by what has just come.
      if control.roster([:]) != roster { try findJoinable() }
    }
  }

  /// Everything set aside may be tried.
  mutating func findJoinable() throws(StoreError) {
    setAside = Set(try store.logsSetAside())
    joinable = []
    for log in setAside {
      joinable.insert(JoinableLog(log: log, isControl: try lane(of: log) == .control))
    }
  }

  private func lane(of log: LogID) throws(StoreError) -> Lane? {
    if let held = try store.log(log) { return held.opening.lane }
    return try openingSetAside(of: log)?.lane
  }

  private static let openingCopies = 64

  /// What frame 0 says, by a copy of it that is whole.
  private func openingSetAside(of log: LogID) throws(StoreError) -> Opening? {
    try store.framesSetAside(of: log, from: 0, limit: Self.openingCopies)
      .first { Self.log(openedBy: $0, operation: local.operation) == log }
      .flatMap(Self.opening)
  }

  /// Whether there may be more to join.
  private mutating func joinNext(of log: LogID, now: ClockReading) throws -> Bool {
    let held = try store.log(log)
    // Of a forked log, peers bring what is missing.
    guard held?.isParted != true else { return false }
    let first = held.map { $0.head.sequence + 1 } ?? 0
    let loose = try store.framesSetAside(of: log, from: first, limit: Self.framesAtOnce)
    var opening = held?.opening
    if opening == nil { opening = try openingSetAside(of: log) }
    guard let opening, let key = key(of: opening) else {
      if loose.isEmpty { try settle(log, through: first, now: now) }
      return false
    }
    let chain = chain(of: loose, from: first, after: held?.head.hash ?? .none, key: key)
    guard let last = chain.lastIndex(where: { $0.signature != nil }) else {
      if chain.isEmpty { try settle(log, through: first, now: now) }
      return false
    }
    let frames = Array(chain[...last])
    try hold(frames, opening: opening, now: now)
    batch.settled.append(FramePlace(log: log, sequence: frames[last].sequence))
    try commit(now: now)
    try run(.appended(opening, frames), now: now)
    try commit(now: now)
    return true
  }

  /// Lets go of copies that are held, or do not follow what is held and so are worthless.
  private mutating func settle(_ log: LogID, through sequence: UInt64, now: ClockReading) throws {
    batch.settled.append(FramePlace(log: log, sequence: sequence))
    try commit(now: now)
    if try store.framesSetAside(of: log, from: 0, limit: 1).isEmpty { setAside.remove(log) }
  }

  private func key(of opening: Opening) -> VerifyingKey? {
    opening.certificate == .root
      ? local.rootKey : control.roster([:])[opening.certificate]?.signingKey
  }

  /// Frames whose hashes hold, one for each place, from the first place on without a gap. Of two
  /// copies the one whose signature holds is taken; a signature that does not hold is left out.
  private func chain(
    of loose: [LooseFrame], from first: UInt64, after previous: FrameHash, key: VerifyingKey
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

/// A log of which frames are set aside.
struct JoinableLog: Hashable, Sendable {
  let log: LogID
  let isControl: Bool
}

// MARK: - What is missing

/// Frames that were held here, or written here, and are not any more.
public struct MissingFrames: Hashable, Sendable {
  /// The log that lacks them.
  public let log: LogID
  /// Who wrote them: what they call themselves, or else the start of their id; nil where even that
  /// is not known.
  public let callsign: String?
  /// Their places.
  public let sequences: ClosedRange<UInt64>
}

extension Replica {
  /// What damage took and no peer has brought back yet, by log and sequence.
  public func missingFrames() throws -> [MissingFrames] {
    var missing: [MissingFrames] = []
    for known in try store.missedHeads() {
      let callsign = try control.author(of: known.certificate).map {
        try self.callsign(of: $0.user)
      }
      for range in try gaps(in: known) {
        missing.append(MissingFrames(log: known.log, callsign: callsign, sequences: range))
      }
    }
    return missing
  }

  private func gaps(in known: KnownHead) throws(StoreError) -> [ClosedRange<UInt64>] {
    var gaps: [ClosedRange<UInt64>] = []
    let held = try store.log(known.log)?.head
    var next = held.map { $0.sequence + 1 } ?? 0
    var before: [LooseFrame] = []
    var here: [LooseFrame] = []
    func close() {
      let names = Set(before.map(\.hash)).union([held?.hash ?? .none])
      let links = here.contains { frame in
        names.contains {
          frame.following($0).computedHash(operation: local.operation) == frame.hash
        }
      }
      guard links, let sequence = here.first?.sequence else { return }
      // The one before is proved to have had this hash, if it is there at all.
      let start = before.first?.sequence == sequence - 1 ? sequence - 1 : sequence
      if start > next { gaps.append(next...start - 1) }
      next = max(next, sequence + 1)
    }
    var place = next
    while true {
      let loose = try store.framesSetAside(of: known.log, from: place, limit: Self.framesAtOnce)
      for frame in loose {
        if frame.sequence != here.first?.sequence {
          close()
          (before, here) = (here, [])
        }
        here.append(frame)
      }
      guard let last = loose.last, loose.count == Self.framesAtOnce else { break }
      place = last.sequence + 1
    }
    close()
    if next <= known.sequence { gaps.append(next...known.sequence) }
    return gaps
  }
}
