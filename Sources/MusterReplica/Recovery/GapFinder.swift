internal import MusterModel
internal import MusterStore

/// Finds the sequences of a log that damage took, from the remaining copies of frames: they arrive
/// by sequence, with several of one sequence if damage left several.
///
/// A copy is proved by the previous hash that it contains. If the previous frame is missing, a copy
/// counts as present if the next one follows from its hash. If no copy follows from the previous
/// one, that one's hash or all copies are corrupt: none counts as present.
struct GapFinder {
  private let operation: OperationID
  private let known: UInt64
  private let held: FrameHash
  /// The first sequence that is not known to be present.
  private var next: UInt64
  private var before: [SalvagedFrame] = []
  private var here: [SalvagedFrame] = []
  /// The last sequence of which no copy counts as present.
  private var spoilt: UInt64?
  private var gaps: [ClosedRange<UInt64>] = []

  /// - Parameters:
  ///   - known: the last sequence that existed.
  ///   - held: the newest frame that is held of the log, below all copies that follow.
  init(operation: OperationID, known: UInt64, held: Head?) {
    self.operation = operation
    self.known = known
    self.held = held?.hash ?? .none
    next = held.map { $0.sequence + 1 } ?? 0
  }

  /// The first sequence whose copies are needed.
  var first: UInt64 { next }

  mutating func add(_ copy: SalvagedFrame) {
    if copy.sequence != here.first?.sequence {
      close()
      (before, here) = (here, [])
    }
    here.append(copy)
  }

  /// Returns the missing sequences, once all copies were added.
  mutating func finish() -> [ClosedRange<UInt64>] {
    close()
    if next <= known { gaps.append(next...known) }
    return gaps
  }

  private mutating func close() {
    guard let sequence = here.first?.sequence else { return }
    let names = Set(before.map(\.hash)).union([held])
    let follows = here.contains { frame in
      names.contains { frame.following($0).computedHash(operation: operation) == frame.hash }
    }
    guard follows else {
      if sequence == next || isLeftBefore(sequence) { spoilt = sequence }
      return
    }
    let start = isLeftBefore(sequence) && spoilt != sequence - 1 ? sequence - 1 : sequence
    if start > next { gaps.append(next...start - 1) }
    next = max(next, sequence + 1)
  }

  /// Whether there are copies of the sequence before this one.
  private func isLeftBefore(_ sequence: UInt64) -> Bool {
    before.first.map { $0.sequence + 1 == sequence } ?? false
  }
}
