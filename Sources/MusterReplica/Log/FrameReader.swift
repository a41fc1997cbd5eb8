internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Says what a held frame does: opens it, joins parts, and checks each operation against the
/// certificate that the frame's log was opened with. The same for frames of this device and of
/// others, at arrival and at every rebuild.
struct FrameReader: Sendable {
  private let operation: OperationID
  /// Parts whose successors have not come. By epoch as well: the frames of a log that are sealed
  /// under one epoch are read in sequence, whenever its key comes, while those of another may be
  /// read earlier or later on another device.
  private var parts: [PartsKey: PartialBody] = [:]

  private struct PartsKey: Hashable, Sendable {
    let log: LogID
    /// Nil in the control lane, whose frames are clear.
    let epoch: EpochID?
  }

  private struct PartialBody: Sendable {
    var places: [FramePlace]
    var contents: [[UInt8]]

    static let none = PartialBody(places: [], contents: [])
    var bytes: Int { contents.reduce(0) { $0 + $1.count } }
  }

  init(operation: OperationID) { self.operation = operation }

  /// What came of reading a frame.
  enum Reading: Sendable {
    /// What it does to the view, and which frames before it are thereby whole.
    case view(Application, completes: [FramePlace])
    /// What it says to the control plane.
    case control([Operation])
  }

  mutating func read(
    _ frame: Frame, opening: Opening, standing: ControlPlane.Standing, keyring: Keyring
  ) -> Reading {
    guard frame.sequence > 0 else { return .view(.nothing, completes: []) }
    if opening.lane == .control {
      // Clear by rule; one under an epoch is held and means nothing.
      guard frame.epoch == nil else { return .view(.nothing, completes: []) }
      return .control(readControl(frame))
    }
    let author: Author
    switch standing {
    case .author(let known): author = known
    case .cut: return .view(.nothing, completes: [])
    case .unknown: return .view(.waiting(.certificate), completes: [])
    }
    guard let epoch = frame.epoch else { return .view(.nothing, completes: []) }
    guard let key = keyring[epoch] else { return .view(.waiting(.key(epoch)), completes: []) }
    guard let plaintext = frame.openedBody(operation: operation, key: key) else {
      return .view(.nothing, completes: [])
    }
    return readBody(plaintext, of: frame, epoch: epoch, opening: opening, author: author)
  }

  /// What a control frame says; of an operation in parts, its last frame says it.
  private mutating func readControl(_ frame: Frame) -> [Operation] {
    let key = PartsKey(log: frame.log, epoch: nil)
    let gathered = parts.removeValue(forKey: key)
    do {
      let body = try FrameBody(decoding: frame.body, writesAt: nil)
      switch body.contents {
      case .operations(let operations): return operations
      case .part(let index, let count, let content):
        let isNext =
          index == gathered?.contents.count ?? 0
          && gathered?.places.last.map { $0.sequence == frame.sequence - 1 } ?? true
        guard isNext || index == 0 else { return [] }
        var whole = isNext ? gathered ?? .none : .none
        whole.places.append(FramePlace(log: frame.log, sequence: frame.sequence))
        whole.contents.append(content)
        guard whole.bytes <= Limits.operationBytes else { return [] }
        guard index + 1 == count else {
          parts[key] = whole
          return []
        }
        let joined = try FrameBody(decoding: Array(whole.contents.joined()), writesAt: nil)
        guard case .operations(let operations) = joined.contents else { return [] }
        return operations
      }
    } catch {
      // Signed rubbish: held for good, and it says nothing.
      return []
    }
  }

  private mutating func readBody(
    _ plaintext: [UInt8], of frame: Frame, epoch: EpochID, opening: Opening, author: Author
  ) -> Reading {
    let key = PartsKey(log: frame.log, epoch: epoch)
    // Whatever this frame is, parts that it does not go on with are abandoned.
    let gathered = parts.removeValue(forKey: key)
    do {
      let body = try FrameBody(decoding: plaintext, writesAt: place(of: frame, by: author))
      switch body.contents {
      case .operations(let operations):
        let application = application(
          of: operations, writtenAt: body.writtenAt, frame: frame, opening: opening, author: author)
        return .view(application, completes: gathered?.places ?? [])
      case .part(let index, let count, let content):
        guard index == gathered?.contents.count ?? 0,
          gathered.map({ $0.places.last?.sequence == frame.sequence - 1 }) ?? true
        else {
          return beginAnew(
            index: index, content: content, frame: frame, key: key,
            abandoning: gathered?.places ?? [])
        }
        return try join(
          index: index, count: count, content: content, to: gathered, frame: frame, key: key,
          opening: opening, author: author)
      }
    } catch {
      // Signed rubbish: held for good, and nothing to apply.
      return .view(.nothing, completes: gathered?.places ?? [])
    }
  }

  // MARK: Parts

  private mutating func join(
    index: Int, count: Int, content: [UInt8], to gathered: PartialBody?, frame: Frame,
    key: PartsKey, opening: Opening, author: Author
  ) throws(WireError) -> Reading {
    var whole = gathered ?? .none
    whole.contents.append(content)
    guard whole.bytes <= Limits.operationBytes else {
      throw .overLimit("operation")
    }
    guard index + 1 == count else {
      whole.places.append(FramePlace(log: frame.log, sequence: frame.sequence))
      parts[key] = whole
      return .view(.waiting(.part), completes: [])
    }
    let body = try FrameBody(
      decoding: Array(whole.contents.joined()), writesAt: place(of: frame, by: author))
    guard case .operations(let operations) = body.contents else { throw .malformed("parts") }
    let application = application(
      of: operations, writtenAt: body.writtenAt, frame: frame, opening: opening, author: author)
    // While the whole waits for a later version, so do its parts: they are read again with it.
    if case .waiting = application { return .view(application, completes: []) }
    #if Canary
      if Canary.partsWaitForever.isPlanted { return .view(application, completes: []) }
    #endif
    return .view(application, completes: whole.places)
  }

  /// A part that does not follow what was gathered: a first one begins anew, another is lost.
  private mutating func beginAnew(
    index: Int, content: [UInt8], frame: Frame, key: PartsKey, abandoning places: [FramePlace]
  ) -> Reading {
    guard index == 0 else { return .view(.nothing, completes: places) }
    parts[key] = PartialBody(
      places: [FramePlace(log: frame.log, sequence: frame.sequence)], contents: [content])
    return .view(.waiting(.part), completes: places)
  }

  // MARK: Operations

  private func application(
    of operations: [Operation], writtenAt: Timestamp, frame: Frame, opening: Opening,
    author: Author
  ) -> Application {
    if operations.contains(.unknown) { return .waiting(.unknownOperation) }
    var writes: [AuthoredWrite] = []
    var crossings: [RecordedCrossing] = []
    for (index, operation) in operations.enumerated() {
      switch operation {
      case .write(let write):
        guard let write = checked(write) else { continue }
        let dot = Dot(frame: frame.hash.raw.prefix, index: UInt16(index))
        writes.append(
          AuthoredWrite(write: write, dot: dot, author: author, writtenAt: writtenAt))
      case .crossing(let crossing):
        #if Canary
          let author =
            Canary.trustClaimedSubject.isPlanted
            ? Author(user: author.user, device: crossing.subject, role: author.role) : author
        #endif
        guard crossing.subject == author.device else { continue }
        let id = CrossingID(
          operation: self.operation, incarnation: opening.incarnation, crossing: crossing)
        crossings.append(
          RecordedCrossing(id: id, crossing: crossing, author: author, writtenAt: writtenAt))
      case .certificate, .epoch, .revocation, .invalid, .unknown: continue
      }
    }
    return writes.isEmpty && crossings.isEmpty
      ? .nothing : .applied(writes: writes, crossings: crossings)
  }

  private func place(of frame: Frame, by author: Author) -> WritePlace {
    WritePlace(operation: operation, author: author.user, sequence: frame.sequence)
  }

  /// A write whose claimed origin is not the row's is nobody's write.
  private func checked(_ write: Write) -> Write? {
    guard let origin = write.origin else { return write }
    #if Canary
      if Canary.trustClaimedOwner.isPlanted { return write }
    #endif
    guard write.field.entity != .user,
      RowID(operation: operation, origin: origin) == write.row
    else { return nil }
    return write
  }
}
