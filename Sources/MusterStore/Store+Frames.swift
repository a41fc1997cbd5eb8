internal import GRDB
public import MusterModel

/// The size of a store.
public struct StoreCounts: Hashable, Sendable {
  /// Logs of all lanes.
  public let logs: Int
  /// Frames of all logs, openings included.
  public let frames: Int
  /// Frames that are not applied yet.
  public let waiting: Int
  /// Writes that wait for the origin of their row.
  public let waitingWrites: Int
}

/// A stored frame that is not applied yet.
public struct WaitingFrame: Hashable, Sendable {
  /// The opening of its log.
  public let opening: Opening
  /// The frame as received.
  public let frame: Frame
  /// What it waits for.
  public let reason: WaitReason
}

extension Store {
  /// Returns every stored log, by id.
  public func logs() throws(StoreError) -> [LogSummary] {
    try read { try FrameTable.logs($0).map(\.summary) }
  }

  /// Returns all logs and strands, in the order in which the first frame of each was stored.
  public func logsByArrival() throws(StoreError) -> [LogSummary] {
    try read { try FrameTable.logs($0).sorted { $0.ref < $1.ref }.map(\.summary) }
  }

  /// Returns a log; nil if it is not stored.
  public func log(_ id: LogID) throws(StoreError) -> LogSummary? {
    try read { try FrameTable.log(id, in: $0)?.summary }
  }

  /// Returns the counts. Reads the heads, not the frames, so it is fast.
  public func counts() throws(StoreError) -> StoreCounts {
    try read(FrameTable.counts)
  }

  /// Returns a run of a log's frames for a peer; empty past the head or for an unknown log. For a
  /// strand, the frames that it branches off from are included.
  ///
  /// - Parameter maxBytes: of bodies; the first frame is returned even if it is larger.
  public func frames(
    log id: LogID, from first: UInt64, maxBytes: Int, maxFrames: Int
  ) throws(StoreError) -> [Frame] {
    try read { database in
      guard let log = try FrameTable.log(id, in: database), first <= log.head.sequence,
        maxFrames > 0
      else { return [] }
      let count = UInt64(maxFrames) - 1
      let last = count < log.head.sequence - first ? first + count : log.head.sequence
      var run: [Frame] = []
      var bytes = 0
      for strand in try FrameTable.path(to: log, from: first, in: database)
      where strand.first <= last {
        var isFull = false
        try FrameTable.eachFrame(
          of: strand, from: max(first, strand.first), through: min(last, strand.head.sequence),
          in: database
        ) { frame in
          #if Canary
            if Canary.skipServedFrame.isPlanted, frame.sequence % 8 == 7 { return true }
          #endif
          bytes += frame.body.count
          isFull = !run.isEmpty && bytes > maxBytes
          guard !isFull else { return false }
          run.append(frame)
          return true
        }
        if isFull { break }
      }
      return run
    }
  }

  /// Returns a frame; nil if it is not stored.
  public func frame(_ place: FramePosition) throws(StoreError) -> Frame? {
    try frames(log: place.log, from: place.sequence, maxBytes: 0, maxFrames: 1).first
  }

  /// Returns those of the named frames that a log contains.
  public func frames(
    among names: Set<Bytes16>, in log: LogID
  ) throws(StoreError) -> Set<Bytes16> {
    try read { database in
      guard let log = try FrameTable.log(log, in: database) else { return [] }
      return try names.filter { try FrameTable.has($0, in: log, database) }
    }
  }

  /// Returns the epochs whose keys an author's frames wait for, unordered.
  public func epochsWaitedFor(
    by author: CertificateHash, limit: Int
  ) throws(StoreError) -> [EpochID] {
    try read { try FrameTable.epochsWaitedFor(by: author, limit: limit, in: $0) }
  }

  /// Returns waiting frames, by log in the order in which logs were first stored, then by sequence.
  ///
  /// - Parameters:
  ///   - epoch: only those that wait for this key; nil for all.
  ///   - place: where the previous result ended; nil to begin.
  public func waiting(
    for epoch: EpochID? = nil, after place: FramePosition? = nil, limit: Int
  ) throws(StoreError) -> [WaitingFrame] {
    try read { database in
      var start: Int64 = 0
      if let place {
        guard let log = try FrameTable.log(place.log, in: database),
          place.sequence <= log.head.sequence
        else { return [] }
        start = log.place(place.sequence)
      }
      var last: HeldLog?
      return try FrameTable.waiting(
        for: epoch, after: start, limit: limit, in: database
      ).map { waiting in
        let sequence = UInt64(waiting.place & 0xFFFF_FFFF)
        if last?.ref != waiting.place >> 32 {
          last = try FrameTable.log(ref: waiting.place >> 32, in: database)
        }
        guard let log = last, log.first <= sequence, sequence <= log.head.sequence else {
          throw StoreError.corrupt("a waiting frame is missing")
        }
        let frame = try FrameTable.frame(sequence, of: log, in: database)
        return WaitingFrame(opening: log.opening, frame: frame, reason: waiting.reason)
      }
    }
  }

  /// Calls `body` with every frame, by log id, then by sequence, in one snapshot. It streams:
  /// memory does not grow with the log.
  ///
  /// Throws `StoreError`, or what `body` throws. `body` MUST NOT use this store.
  public func forEachFrame(_ body: (Opening, Frame) throws -> Void) throws {
    try rethrowing { database in
      for log in try FrameTable.logs(database) {
        try FrameTable.eachFrame(
          of: log, from: log.first, through: log.head.sequence, in: database
        ) {
          do { try body(log.opening, $0) } catch { throw CallerError(cause: error) }
          return true
        }
      }
    }
  }
}
