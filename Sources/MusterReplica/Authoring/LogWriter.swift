internal import MusterCrypto
internal import MusterModel
internal import MusterSync

/// This device's own logs in this incarnation: packs entries into frames, opens a log on the first
/// write to its lane, seals and signs.
struct LogWriter: Sendable {
  let local: LocalDevice
  let incarnation: Incarnation
  let generation: UInt32
  private(set) var heads: [Lane: Head] = [:]
  /// Rows that this program has named in each lane's log, under the epoch of the last write.
  private var mentions: [Lane: (epoch: EpochID, rows: RowMentions)] = [:]

  /// Why nothing can be written.
  enum Fault: Error, Hashable, Sendable {
    /// No epoch key is available, as on a `relay`.
    case noKey
    case tooLarge
    case logFull
  }

  init(
    local: LocalDevice, incarnation: Incarnation, generation: UInt32, logs: [LogSummary]
  ) {
    self.local = local
    self.incarnation = incarnation
    self.generation = generation
    // A forked log is not continued: a new incarnation begins.
    for summary in logs
    where summary.opening == opening(summary.opening.lane) && summary.base == nil
      && !summary.isParted
    {
      heads[summary.opening.lane] = summary.head
    }
  }

  /// Whether a log is one to which this device currently writes.
  func isOwn(_ log: LogID) -> Bool { heads.values.contains { $0.log == log } }

  /// Consecutive frames of one log of this device.
  struct Run: Sendable {
    let opening: Opening
    private(set) var frames: [Frame]
    /// How many of the frames contain what is broadcast first.
    private(set) var leading: Int

    /// Appends the frames that follow in the same log.
    mutating func append(_ next: Run) {
      leading = frames.count + next.leading
      frames += next.frames
    }
  }

  /// Writes groups of entries into a lane: as many groups per frame as fit; a group that fits no
  /// frame is split into parts.
  ///
  /// - Parameters:
  ///   - stamp: the stamp of each body, in the urgent lane.
  ///   - earlier: the lane's own frames among those that the writes name.
  mutating func write(
    _ groups: EntryGroups, lane: Lane, at writtenAt: Timestamp,
    stamp: RecordStamp?, earlier: Set<Bytes16>,
    epoch: (id: EpochID, key: SealingKey)?, random: inout DeterministicRandom
  ) throws(Fault) -> Run {
    let first = (heads[lane]?.sequence ?? 0) + 1
    var known = RowMentions()
    if let mentions = mentions.removeValue(forKey: lane), mentions.epoch == epoch?.id {
      known = mentions.rows
    }
    let (packed, leading) = try pack(
      groups, lane: lane, from: first, at: writtenAt, stamp: stamp,
      earlier: earlier, mentions: &known)
    let opening = opening(lane)
    let log = LogID(operation: local.operation, opening: opening)
    var frames: [Frame] = []
    var head = heads[lane]
    if head == nil {
      frames.append(
        .clear(
          operation: local.operation, log: log, sequence: 0, previous: .none,
          body: opening.encoded(), signedBy: local.signingKey))
    }
    for body in packed {
      let last =
        frames.last.map { (sequence: $0.sequence, hash: $0.hash) }
        ?? head.map { (sequence: $0.sequence, hash: $0.hash) }
      guard let last, last.sequence < Limits.lastSequence else { throw .logFull }
      frames.append(
        try seal(
          body, lane: lane, log: log, after: last, epoch: epoch, nonce: random.nonce24()))
    }
    if let newest = frames.last {
      head = Head(log: log, sequence: newest.sequence, hash: newest.hash)
    }
    heads[lane] = head
    mentions[lane] = epoch.map { ($0.id, known) }
    return Run(
      opening: opening, frames: frames, leading: frames.count - packed.count + leading)
  }

  private func opening(_ lane: Lane) -> Opening {
    Opening(
      certificate: local.certificate.hash, incarnation: incarnation, generation: generation,
      lane: lane)
  }

  private func seal(
    _ body: PackedBody, lane: Lane, log: LogID, after last: (sequence: UInt64, hash: FrameHash),
    epoch: (id: EpochID, key: SealingKey)?, nonce: Nonce24
  ) throws(Fault) -> Frame {
    if lane == .control {
      return .clear(
        operation: local.operation, log: log, sequence: last.sequence + 1, previous: last.hash,
        body: body.bytes, signedBy: local.signingKey)
    }
    guard let epoch else { throw .noKey }
    return .sealed(
      operation: local.operation, log: log, sequence: last.sequence + 1, previous: last.hash,
      epoch: epoch.id, plaintext: body.bytes, key: epoch.key, nonce: nonce, blobs: body.blobs,
      signedBy: local.signingKey)
  }

  // MARK: Packing

  /// The plaintext of a frame, and the blobs that it refers to.
  private struct PackedBody {
    var bytes: [UInt8]
    var blobs: [BlobListing] = []
  }

  /// The bytes around the content of a part, rounded up.
  private static let partOverhead = 32

  /// Returns the bodies of frames, and how many of them contain all leading groups.
  ///
  /// - Parameters:
  ///   - first: the sequence of the first frame with entries.
  ///   - earlier: this log's own frames among those that the writes name.
  ///   - mentions: the rows named in this log and epoch; extended by those named here.
  private func pack(
    _ groups: EntryGroups, lane: Lane, from first: UInt64, at writtenAt: Timestamp,
    stamp: RecordStamp?, earlier: Set<Bytes16>,
    mentions: inout RowMentions
  ) throws(Fault) -> (bodies: [PackedBody], leading: Int) {
    var bodies: [PackedBody] = []
    func place() -> WritePosition? {
      guard lane != .control else { return nil }
      return WritePosition(
        operation: local.operation, author: local.author.user,
        sequence: first + UInt64(bodies.count))
    }
    var principal: Principal?
    func newPacker() -> FrameBodyPacker {
      FrameBodyPacker(
        writtenAt: writtenAt, stamp: stamp, onBehalfOf: principal, writesAt: place())
    }
    var packer = newPacker()
    func flush() {
      if !packer.isEmpty {
        bodies.append(PackedBody(bytes: packer.encoded()))
        packer.note(in: &mentions)
      }
      packer = newPacker()
    }
    func add(_ group: EntryGroups.Group) throws(Fault) {
      if group.onBehalfOf != principal {
        flush()
        principal = group.onBehalfOf
        packer = newPacker()
      }
      let named = group.operations.map { Self.naming($0, by: earlier) }
      let blobs = Self.blobs(of: group.operations)
      guard blobs.isEmpty else {
        // A photo has a frame of its own, whose list is that of the photo.
        flush()
        guard packer.add(named, knowing: mentions) else { throw .tooLarge }
        flush()
        guard let count = bodies.last?.bytes.count, count <= Limits.listedBodyBytes - 40 else {
          throw .tooLarge
        }
        bodies[bodies.count - 1].blobs = blobs
        return
      }
      if packer.add(named, knowing: mentions) { return }
      flush()
      if packer.add(named, knowing: mentions) { return }
      let whole = FrameBody(
        writtenAt: writtenAt, contents: .operations(named), stamp: stamp, onBehalfOf: principal)
      bodies += try parts(of: whole, entries: named.count, in: place()).map {
        PackedBody(bytes: $0)
      }
      flush()
    }
    for group in groups.leading { try add(group) }
    let leading = bodies.count + (packer.isEmpty ? 0 : 1)
    for group in groups.following { try add(group) }
    flush()
    return (bodies, leading)
  }

  private static func blobs(of group: [Operation]) -> [BlobListing] {
    for case .write(let write) in group {
      if case .photo(let photo)? = write.value { return photo.listings }
    }
    return []
  }

  /// A log's own earlier writes are superseded without names, except elements of sets.
  private static func naming(
    _ operation: Operation, by earlier: Set<Bytes16>
  ) -> Operation {
    guard case .write(var write) = operation,
      write.field.kind != .addWinsSet
        || write.field == Field.existence(of: write.field.entity),
      write.supersedes.contains(where: { earlier.contains($0.frame) })
    else { return operation }
    write.takesEarlier = true
    write.supersedes.removeAll { earlier.contains($0.frame) }
    return .write(write)
  }

  private func parts(
    of body: FrameBody, entries: Int, in place: WritePosition?
  ) throws(Fault) -> [[UInt8]] {
    let whole = body.encoded(writesAt: place)
    let size = Limits.framePlaintextBytes - Self.partOverhead
    let count = (whole.count + size - 1) / size
    guard whole.count <= Limits.operationBytes, count <= Limits.partsPerOperation,
      entries <= Limits.operationsPerFrame
    else {
      throw .tooLarge
    }
    return (0..<count).map { index in
      let content = Array(whole[index * size..<min(whole.count, (index + 1) * size)])
      return FrameBody(
        writtenAt: body.writtenAt, contents: .part(index: index, count: count, content: content)
      ).encoded(writesAt: nil)
    }
  }

  /// Restores the heads from the store after a failed commit.
  mutating func reset(to logs: [LogSummary]) {
    self = LogWriter(
      local: local, incarnation: incarnation, generation: generation, logs: logs)
  }
}

extension Refusal {
  init(_ fault: LogWriter.Fault) {
    switch fault {
    case .noKey: self.init("no group key has arrived yet: wait until a peer sends it", .notNow)
    case .tooLarge:
      self.init("that is larger than \(Limits.operationBytes / 1024) KiB: make it shorter")
    case .logFull: self.init("this device's log is full: join again as a new device")
    }
  }
}
