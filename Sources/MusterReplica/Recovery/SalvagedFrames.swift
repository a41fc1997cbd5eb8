internal import MusterCrypto
public import MusterModel
internal import MusterStore
internal import MusterSync

/// Frames that were salvaged from a damaged database and are set aside, and those that are missing.
struct SalvagedFrames {
  let context: ReadContext

  private static let framesAtOnce = 2048
  private static let openingCopies = 64

  /// Returns nil for a frame that is incomplete, or not an opening.
  static func log(openedBy loose: SalvagedFrame, operation: OperationID) -> LogID? {
    guard let opening = opening(of: loose) else { return nil }
    let log = LogID(operation: operation, opening: opening)
    var frame = loose.following(.none)
    frame.log = log
    return frame.computedHash(operation: operation) == frame.hash ? log : nil
  }

  private static func opening(of loose: SalvagedFrame) -> Opening? {
    guard loose.epoch == nil else { return nil }
    do {
      return try Opening(decoding: loose.body)
    } catch {
      return nil
    }
  }

  /// Returns the logs with salvaged frames.
  func logs() throws(StoreError) -> Set<JoinableLog> {
    var logs: Set<JoinableLog> = []
    for log in Set(try context.store.logsSetAside()) {
      logs.insert(JoinableLog(log: log, isControl: try lane(of: log) == .control))
    }
    return logs
  }

  private func lane(of log: LogID) throws(StoreError) -> Lane? {
    if let held = try context.store.log(log) { return held.opening.lane }
    return try openingSetAside(of: log)?.lane
  }

  /// Returns the content of frame 0, from an intact copy.
  func openingSetAside(of log: LogID) throws(StoreError) -> Opening? {
    try context.store.framesSetAside(of: log, from: 0, limit: Self.openingCopies)
      .first { Self.log(openedBy: $0, operation: context.local.operation) == log }
      .flatMap(Self.opening)
  }

  /// Returns the frames that follow a held frame, or start an unheld log, up to the last that a
  /// signature proves.
  func nextRun(
    of log: LogID, strands: [LogSummary], key: VerifyingKey
  ) throws(StoreError) -> [Frame]? {
    let tips = strands.filter { !$0.isParted }.map { (sequence: $0.head.sequence, $0.head.hash) }
    for (sequence, hash) in tips {
      let loose = try context.store.framesSetAside(
        of: log, from: sequence + 1, limit: Self.framesAtOnce)
      if let run = proved(chain(of: loose, from: sequence + 1, after: hash, key: key)) {
        return run
      }
    }
    if strands.isEmpty {
      let loose = try context.store.framesSetAside(of: log, from: 0, limit: Self.framesAtOnce)
      return proved(chain(of: loose, from: 0, after: .none, key: key))
    }
    // Another branch, which forks from an earlier held frame.
    var place: UInt64 = 1
    while true {
      let loose = try context.store.framesSetAside(of: log, from: place, limit: Self.framesAtOnce)
      for frame in loose where try context.store.strand(of: frame.hash, in: log) == nil {
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
      let place = FramePosition(log: strand.head.log, sequence: sequence - 1)
      if let hash = try context.store.hash(of: place) { hashes.insert(hash) }
    }
    return hashes
  }

  /// Returns copies of held frames, and copies that follow nothing, up to a sequence.
  func processed(
    of log: LogID, upTo last: UInt64, in strands: [LogSummary]
  ) throws(StoreError) -> [ProcessedFrame] {
    var processed: [ProcessedFrame] = []
    var place: UInt64 = 0
    while true {
      let loose = try context.store.framesSetAside(of: log, from: place, limit: Self.framesAtOnce)
      for frame in loose where frame.sequence <= last {
        let isHeld = try context.store.strand(of: frame.hash, in: log) != nil
        let follows = try hashes(before: frame.sequence, in: strands).contains {
          frame.following($0).computedHash(operation: context.local.operation) == frame.hash
        }
        guard isHeld || !follows else { continue }
        processed.append(ProcessedFrame(log: log, sequence: frame.sequence, hash: frame.hash))
      }
      guard let next = loose.last, loose.count == Self.framesAtOnce else { return processed }
      place = next.sequence + 1
    }
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
      guard frame.computedHash(operation: context.local.operation) == frame.hash else { continue }
      if !frame.isSigned(by: key) { frame.signature = nil }
      if isCopy {
        if frame.hash == chain.last?.hash { chain[chain.count - 1] = frame }
      } else {
        chain.append(frame)
      }
    }
    return chain
  }

  /// Returns the frames that damage took and no peer has sent again yet, by log and sequence.
  func missingFrames() throws -> [MissingFrames] {
    var missing: [MissingFrames] = []
    for known in try context.store.missedHeads() {
      let callsign = try context.control.author(of: known.certificate).map {
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
    let held = try context.store.strands(of: known.log).map(\.head).max {
      $0.sequence < $1.sequence
    }
    var finder = GapFinder(operation: context.local.operation, known: known.sequence, held: held)
    var place = finder.first
    while true {
      let loose = try context.store.framesSetAside(
        of: known.log, from: place, limit: Self.framesAtOnce)
      for copy in loose { finder.add(copy) }
      guard let last = loose.last, loose.count == Self.framesAtOnce else { break }
      place = last.sequence + 1
    }
    return finder.finish()
  }
}

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
