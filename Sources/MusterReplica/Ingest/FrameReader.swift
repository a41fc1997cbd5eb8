internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Interprets a held frame: opens it, joins parts, resolves the rows that it names by earlier
/// frames, and checks each entry against the certificate of the frame's log. Used alike for frames
/// of this device and of others, on arrival and at every rebuild.
struct FrameReader: Sendable {
  private let operation: OperationID
  /// Nil except at a command device.
  private let duress: DuressOpener?
  private var parts = BodyAssembler()
  private var names = RowNames()
  private var calls: [DuressCall] = []

  init(operation: OperationID, duress: DuressOpener?) {
    self.operation = operation
    self.duress = duress
  }

  /// The result of reading a frame.
  enum Reading: Sendable {
    /// The frame's effect on the view, the earlier frames that it completes, and its stamp in the
    /// urgent lane.
    case view(Application, completes: [FramePosition], stamp: RecordStamp?)
    /// The frame's entries for the control plane.
    case control([Operation])

    fileprivate static var nothing: Reading { .view(.nothing, completes: [], stamp: nil) }
    fileprivate static func waiting(_ reason: WaitReason) -> Reading {
      .view(.waiting(reason), completes: [], stamp: nil)
    }
  }

  /// Returns the frame at a place, or nil. Frames read since the last `forgetSome` are not
  /// requested, so that it need not know frames that are not durable yet.
  typealias Lookup = (FramePosition) throws(StoreError) -> Frame?

  mutating func read(
    _ frame: Frame, opening: Opening, standing: ControlPlane.Standing, keyring: Keyring,
    lookup: @escaping Lookup
  ) throws(StoreError) -> Reading {
    guard frame.sequence > 0 else { return .nothing }
    // Clear by rule; a sealed one is held without effect.
    if opening.lane == .control {
      return frame.epoch == nil ? .control(readControl(frame)) : .nothing
    }
    let author: Author
    switch standing {
    case .author(let known): author = known
    case .cut: return .nothing
    case .unknown: return .waiting(.certificate)
    }
    guard let epoch = frame.epoch else { return .nothing }
    guard let key = keyring[epoch, by: opening.certificate] else { return .waiting(.key(epoch)) }
    guard let plaintext = frame.openedBody(operation: operation, key: key) else {
      names.note([], of: frame)
      return .nothing
    }
    let source = RowNames.Source(
      operation: operation, author: author.user, key: key, lookup: lookup)
    let whole = try read(plaintext, of: frame, under: epoch, from: source)
    return reading(of: whole, frame: frame, opening: opening, author: author)
  }

  /// Whether parts of a log or a strand were read whose successors were not.
  func hasParts(of log: LogID) -> Bool { parts.hasParts(of: log) }

  /// Returns the calls under duress in the frames that were read since the last call.
  mutating func takeCalls() -> [DuressCall] {
    defer { calls = [] }
    return calls
  }

  /// Adds the calls that another reader found.
  mutating func add(_ found: [DuressCall]) { calls += found }

  /// Releases memory. MUST be called once what was read is durable.
  mutating func forgetSome() { names.forgetSome() }

  /// Returns the operations of a control frame; an operation in parts belongs to its last frame.
  private mutating func readControl(_ frame: Frame) -> [Operation] {
    let whole = parts.take(frame.body, of: frame) { bytes throws(WireError) in
      (try FrameBody(decoding: bytes, writesAt: nil), [])
    }
    guard case .operations(let operations, _, _) = whole.contents else { return [] }
    return operations
  }

  private mutating func read(
    _ plaintext: [UInt8], of frame: Frame, under epoch: EpochID, from source: RowNames.Source
  ) throws(StoreError) -> BodyAssembler.Whole {
    let place = WritePosition(
      operation: operation, author: source.author, sequence: frame.sequence)
    var failure: StoreError?
    // Moved out, so that the closure can change it while the parts change.
    var names = names
    self.names = RowNames()
    defer { self.names = names }
    let whole = parts.take(plaintext, of: frame) { bytes throws(WireError) in
      try FrameBody.read(bytes, writesAt: place) { sequence, index in
        do throws(StoreError) {
          return try names.row(
            at: FramePosition(log: frame.strand, sequence: sequence), index: index, under: epoch,
            from: source)
        } catch {
          failure = error
          return .unknown
        }
      }
    }
    if let failure { throw failure }
    names.note(whole.named, of: frame)
    return whole
  }

  private mutating func reading(
    of whole: BodyAssembler.Whole, frame: Frame, opening: Opening, author: Author
  ) -> Reading {
    switch whole.contents {
    case .nothing: return .view(.nothing, completes: whole.before, stamp: nil)
    case .part: return .view(.waiting(.part), completes: whole.before, stamp: nil)
    case .operations(let operations, let body, let isJoined):
      let application = application(
        of: operations, in: body, frame: frame, opening: opening, author: author)
      if let duress, case .applied(let writes, _) = application {
        calls += duress.calls(in: writes)
      }
      let stamp = opening.lane == .urgent ? whole.stamp : nil
      // While the whole waits for a later version, so do its parts: they are read again with it.
      if isJoined, case .waiting = application {
        return .view(application, completes: [], stamp: stamp)
      }
      #if Canary
        if isJoined, Canary.partsWaitForever.isPlanted {
          return .view(application, completes: [], stamp: stamp)
        }
      #endif
      return .view(application, completes: whole.before, stamp: stamp)
    }
  }

  // MARK: Operations

  private func application(
    of operations: [Operation], in body: FrameBody, frame: Frame, opening: Opening,
    author: Author
  ) -> Application {
    let isUnderstood = operations.allSatisfy {
      if case .unknown = $0 { false } else { true }
    }
    guard isUnderstood else { return .waiting(.unknownOperation) }
    var writes: [AuthoredWrite] = []
    writes.reserveCapacity(operations.count)
    var crossings: [RecordedCrossing] = []
    var derived = DerivedRow(operation: self.operation)
    for (index, operation) in operations.enumerated() {
      switch operation {
      case .write(let write):
        guard derived.isOrigin(of: write) else { continue }
        let dot = Dot(frame: frame.hash.raw.prefix, index: UInt16(index))
        writes.append(
          AuthoredWrite(
            write: write, dot: dot, author: author, writtenAt: body.writtenAt,
            onBehalfOf: body.onBehalfOf))
      case .crossing(let crossing):
        #if Canary
          let author =
            Canary.trustClaimedSubject.isPlanted
            ? Author(user: author.user, device: crossing.subject, role: author.role) : author
        #endif
        guard crossing.subject == author.device, author.role.isPersonal else { continue }
        crossings.append(
          recorded(crossing, by: author, writtenAt: body.writtenAt, opening: opening))
      case .trackerCrossing(let crossing, let nonce):
        guard crossing.subject == trackedDevice(of: author, nonce) else { continue }
        crossings.append(
          recorded(crossing, by: author, writtenAt: body.writtenAt, opening: opening))
      case .certificate, .epoch, .revocation, .release, .uplink, .invalid, .unknown: continue
      }
    }
    return writes.isEmpty && crossings.isEmpty
      ? .nothing : .applied(writes: writes, crossings: crossings)
  }

  private func recorded(
    _ crossing: Crossing, by author: Author, writtenAt: Timestamp, opening: Opening
  ) -> RecordedCrossing {
    let id = CrossingID(
      operation: operation, incarnation: opening.incarnation, crossing: crossing)
    return RecordedCrossing(id: id, crossing: crossing, author: author, writtenAt: writtenAt)
  }

  /// Returns the id of this author's tracker as the subject of a crossing; nil if the author may
  /// have none.
  private func trackedDevice(of author: Author, _ nonce: Bytes16) -> DeviceID? {
    guard author.role == .command || author.role == .member else { return nil }
    return DeviceID(tracker: RowID(tracker: nonce, of: author.user, operation: operation))
  }
}

/// The row that was last derived from an origin: the writes of a frame to one row follow one
/// another, each with the origin.
private struct DerivedRow {
  let operation: OperationID
  private var last: (origin: RowOrigin, row: RowID)?

  init(operation: OperationID) { self.operation = operation }

  /// Returns whether the origin that a write claims, if it does, hashes to the id of its row.
  mutating func isOrigin(of write: Write) -> Bool {
    guard let origin = write.origin else { return true }
    #if Canary
      if Canary.trustClaimedOwner.isPlanted { return true }
    #endif
    guard write.field.entity.hasOrigin else { return false }
    if let last, last.origin == origin { return last.row == write.row }
    let row = RowID(operation: operation, origin: origin)
    last = (origin, row)
    return row == write.row
  }
}
