internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// The rows that frames name in full, for later frames of their logs that refer to that place.
/// Anything not remembered is read from the log again, so the memory only affects speed.
struct RowNames: Sendable {
  private var frames: [FramePosition: Names] = [:]
  private var count = 0

  private struct Names: Sendable {
    let epoch: EpochID?
    /// Nil while the frame waits for a later version.
    let rows: [NamedRow]?
  }

  /// What is needed to read a frame of a log again.
  struct Source {
    let operation: OperationID
    let author: UserID
    /// The key of the epoch in question.
    let key: SealingKey
    let lookup: FrameReader.Lookup
  }

  mutating func note(_ rows: [NamedRow]?, of frame: Frame) {
    keep(Names(epoch: frame.epoch, rows: rows), at: frame.place)
  }

  /// Returns the row that an entry of an earlier frame names. Only frames under the same epoch can
  /// be referred to: a device that can read the one can read the other, and needs no second key.
  mutating func row(
    at place: FramePosition, index: UInt16, under epoch: EpochID, from source: Source
  ) throws(StoreError) -> RowReference {
    let names: Names
    if let known = frames[place] {
      names = known
    } else {
      names = try Self.names(at: place, under: epoch, from: source)
      keep(names, at: place)
    }
    guard names.epoch == epoch else { return .none }
    guard let rows = names.rows else { return .unknown }
    return rows.first { $0.index == index }.map { .row($0.row) } ?? .none
  }

  /// Clears the memory when it is large.
  mutating func forgetSome() {
    if count > Limits.rowMentions { self = RowNames() }
  }

  private mutating func keep(_ names: Names, at place: FramePosition) {
    frames[place] = names
    count += 1 + (names.rows?.count ?? 0)
  }

  private static func names(
    at place: FramePosition, under epoch: EpochID, from source: Source
  ) throws(StoreError) -> Names {
    guard let frame = try source.lookup(place), frame.epoch == epoch,
      let plaintext = frame.openedBody(operation: source.operation, key: source.key)
    else { return Names(epoch: nil, rows: []) }
    let place = WritePosition(
      operation: source.operation, author: source.author, sequence: frame.sequence)
    do throws(WireError) {
      let read = try FrameBody.read(plaintext, writesAt: place) { _, _ in .none }
      return Names(epoch: epoch, rows: read.named)
    } catch {
      return Names(epoch: epoch, rows: [])
    }
  }
}
