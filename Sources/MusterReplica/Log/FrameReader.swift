internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Says what a held frame does: opens it, joins parts, and checks each operation against the
/// certificate that the frame's log was opened with. The same for frames of this device and of
/// others, at arrival and at every rebuild.
struct FrameReader: Sendable {
  private let operation: OperationID
  /// Parts whose successors have not come, by log.
  private var parts: [LogID: PartialBody] = [:]

  private struct PartialBody: Sendable {
    var places: [FramePlace]
    var contents: [[UInt8]]
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
    _ frame: Frame, opening: Opening, author: Author?, keyring: Keyring
  ) -> Reading {
    guard frame.sequence > 0 else { return .view(.nothing, completes: []) }
    if opening.lane == .control {
      // Clear by rule; one under an epoch is held and means nothing.
      guard frame.epoch == nil else { return .view(.nothing, completes: []) }
      return readControl(frame)
    }
    guard let author else { return .view(.waiting(.certificate), completes: []) }
    guard let epoch = frame.epoch else { return .view(.nothing, completes: []) }
    guard let key = keyring[epoch] else { return .view(.waiting(.key(epoch)), completes: []) }
    guard let plaintext = frame.openedBody(operation: operation, key: key) else {
      return .view(.nothing, completes: [])
    }
    return readBody(plaintext, of: frame, opening: opening, author: author)
  }

  private mutating func readControl(_ frame: Frame) -> Reading {
    do {
      let body = try FrameBody(decoding: frame.body)
      guard case .operations(let operations) = body.contents else {
        return .view(.nothing, completes: [])
      }
      return .control(operations)
    } catch {
      return .view(.nothing, completes: [])
    }
  }

  private mutating func readBody(
    _ plaintext: [UInt8], of frame: Frame, opening: Opening, author: Author
  ) -> Reading {
    do {
      let body = try FrameBody(decoding: plaintext)
      switch body.contents {
      case .operations(let operations):
        let application = application(
          of: operations, writtenAt: body.writtenAt, frame: frame, opening: opening, author: author)
        return .view(application, completes: [])
      case .part(let index, let count, let content):
        return try join(
          index: index, count: count, content: content, frame: frame, opening: opening,
          author: author)
      }
    } catch {
      // Signed rubbish: held for good, and nothing to apply.
      return .view(.nothing, completes: [])
    }
  }

  // MARK: Parts

  private mutating func join(
    index: Int, count: Int, content: [UInt8], frame: Frame, opening: Opening, author: Author
  ) throws(WireError) -> Reading {
    let place = FramePlace(log: frame.log, sequence: frame.sequence)
    var partial = index == 0 ? PartialBody(places: [], contents: []) : parts[frame.log]
    guard partial?.contents.count == index,
      index == 0 || partial?.places.last?.sequence == frame.sequence - 1
    else {
      parts[frame.log] = nil
      return .view(.nothing, completes: [])
    }
    partial?.contents.append(content)
    guard let gathered = partial,
      gathered.contents.reduce(0, { $0 + $1.count }) <= Limits.operationBytes
    else {
      parts[frame.log] = nil
      throw .overLimit("operation")
    }
    if index + 1 < count {
      partial?.places.append(place)
      parts[frame.log] = partial
      return .view(.waiting(.part), completes: [])
    }
    parts[frame.log] = nil
    let body = try FrameBody(decoding: Array(gathered.contents.joined()))
    guard case .operations(let operations) = body.contents else { throw .malformed("parts") }
    let application = application(
      of: operations, writtenAt: body.writtenAt, frame: frame, opening: opening, author: author)
    // While the whole waits for a later version, so do its parts: they are read again with it.
    if case .waiting = application { return .view(application, completes: []) }
    return .view(application, completes: gathered.places)
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
        guard crossing.subject == author.device else { continue }
        let id = CrossingID(
          operation: self.operation, incarnation: opening.incarnation, crossing: crossing)
        crossings.append(
          RecordedCrossing(id: id, crossing: crossing, author: author, writtenAt: writtenAt))
      case .certificate, .epoch, .invalid, .unknown: continue
      }
    }
    return writes.isEmpty && crossings.isEmpty
      ? .nothing : .applied(writes: writes, crossings: crossings)
  }

  /// A write whose claimed origin is not the row's is nobody's write.
  private func checked(_ write: Write) -> Write? {
    guard let origin = write.origin else { return write }
    guard write.field.entity != .user,
      RowID(operation: operation, origin: origin) == write.row
    else { return nil }
    return write
  }
}
