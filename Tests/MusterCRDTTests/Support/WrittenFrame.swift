import MusterCRDT
import MusterModel

/// A frame with writes to one row, as its author wrote them.
struct WrittenFrame: Hashable {
  let name: Bytes16
  let author: Author
  /// In its author's only log.
  let place: LogPosition
  let writes: [Write]
  /// The claimed time follows the dot, so that it agrees with no order of application.
  let authored: [AuthoredWrite]

  /// - Parameter sequence: later frames of an author have greater ones.
  init(_ number: UInt64, by author: Author, sequence: UInt32 = 1, _ writes: [Write]) {
    name = Bytes16(high: number, low: 0)
    self.author = author
    place = LogPosition(log: UInt32(author.user.raw.high), sequence: sequence)
    self.writes = writes
    authored = writes.indices.map {
      AuthoredWrite(
        write: writes[$0], dot: Dot(frame: Bytes16(high: number, low: 0), index: UInt16($0)),
        author: author, writtenAt: Timestamp(milliseconds: Int64(number) * 1000),
        onBehalfOf: Self.principal(of: number))
    }
  }

  /// Half of the frames are written for the device's own user, the others for a person or a login.
  private static func principal(of number: UInt64) -> Principal? {
    switch number % 4 {
    case 2: Principal(login: "Rui \(number % 3)")
    case 3: .person(UserID(raw: Bytes16(high: number % 3, low: 7)))
    default: nil
    }
  }

  func dot(_ index: Int = 0) -> Dot { Dot(frame: name, index: UInt16(index)) }

  func dots(of field: Field) -> [Dot] {
    writes.indices.filter { writes[$0].field == field }.map { dot($0) }
  }
}

/// The state that a caller of `RowState` keeps: the row, and the frames already applied.
struct Holder {
  var row: RowState
  private(set) var pending = PendingInMemory(applied: [])
  /// `RowState` allows the frame being applied to count as applied or not.
  let countsFrameInHand: Bool

  init(_ key: RowKey, countsFrameInHand: Bool = false) {
    row = RowState(key: key)
    self.countsFrameInHand = countsFrameInHand
  }

  /// Applies a frame, unless it was applied before.
  @discardableResult
  mutating func receive(_ frame: WrittenFrame) -> [RowState.Outcome] {
    guard !pending.isApplied(frame.name) else { return [] }
    if countsFrameInHand { pending.noteApplied(frame.name) }
    let outcomes = frame.authored.map { row.apply($0, at: frame.place, beside: &pending) }
    pending.noteApplied(frame.name)
    row.checkInvariants()
    pending.checkInvariants(beside: row)
    return outcomes
  }

  mutating func receive(_ frames: [WrittenFrame]) {
    for frame in frames { receive(frame) }
  }

  /// Replaces the row by its state after a restart: encoded and decoded.
  mutating func restart() throws(DecodingFault) {
    row = try RowState(key: row.key, decoding: row.encoded())
  }
}
