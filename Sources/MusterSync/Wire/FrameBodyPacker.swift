public import MusterModel

/// Packs as many operations as fit into the body of one frame.
public struct FrameBodyPacker {
  private let writtenAt: Timestamp
  private let stamp: RecordStamp?
  private let onBehalfOf: Principal?
  /// Of the stamp and the principal.
  private let attributeBytes: Int
  /// Operations other than writes.
  private var others: [Operation] = []
  private var othersBytes = 0
  private var writes: PackedWrites?
  private let place: WritePosition?

  /// The upper bound for the time, and for the tag and length of the writes, in bytes.
  private static let overhead = 16

  /// - Parameters:
  ///   - stamp: the stamp of the body, in the urgent lane.
  ///   - onBehalfOf: the person or login that the device writes for; nil for its own user.
  ///   - place: the position of the writes in the log; nil in the control lane, which has no
  ///     writes.
  public init(
    writtenAt: Timestamp, stamp: RecordStamp? = nil, onBehalfOf: Principal? = nil,
    writesAt place: WritePosition?
  ) {
    self.writtenAt = writtenAt
    self.stamp = stamp
    self.onBehalfOf = onBehalfOf
    attributeBytes = (stamp?.encodedSize ?? 0) + (onBehalfOf.map { 2 + $0.encoded.count } ?? 0)
    self.place = place
    writes = place.map(PackedWrites.init)
  }

  /// Whether no operation has been added.
  public var isEmpty: Bool { count == 0 }

  /// Adds all operations of a group. Adds none and returns false if they do not all fit.
  ///
  /// - Parameter mentions: rows that earlier frames of the same log and epoch name in full.
  public mutating func add(_ group: [Operation], knowing mentions: RowMentions) -> Bool {
    let before = (others: others.count, othersBytes: othersBytes, writes: writes?.mark)
    guard group.allSatisfy({ add($0, knowing: mentions) }) else {
      others.removeSubrange(before.others...)
      othersBytes = before.othersBytes
      if let mark = before.writes { writes?.restore(mark) }
      return false
    }
    return true
  }

  private mutating func add(_ operation: Operation, knowing mentions: RowMentions) -> Bool {
    guard count < Limits.operationsPerFrame else { return false }
    guard case .write(let write) = operation else {
      let size = operation.encodedSize
      guard total(with: size) <= Limits.framePlaintextBytes else { return false }
      others.append(operation)
      othersBytes += size
      return true
    }
    precondition(writes != nil, "a write in the control lane")
    writes?.append(write, knowing: mentions)
    return total(with: 0) <= Limits.framePlaintextBytes
  }

  private var count: Int { others.count + (writes?.count ?? 0) }

  /// Records which rows this frame names in full, so that later frames can refer to them.
  public func note(in mentions: inout RowMentions) {
    guard let place, let writes else { return }
    for named in writes.named {
      mentions.note(
        named.subject.row,
        RowMentions.Mention(
          sequence: place.sequence, index: UInt16(others.count + named.index),
          hasOrigin: named.subject.origin != nil))
    }
  }

  private func total(with more: Int) -> Int {
    Self.overhead + attributeBytes + othersBytes + more + (writes?.bytes.count ?? 0)
  }

  /// Returns the plaintext of the frame. The writes are the last operations, in whatever order the
  /// operations were added.
  public func encoded() -> [UInt8] {
    FrameBody.encoded(
      writtenAt: writtenAt, stamp: stamp, onBehalfOf: onBehalfOf, others: others,
      writes: writes?.bytes ?? [])
  }
}
