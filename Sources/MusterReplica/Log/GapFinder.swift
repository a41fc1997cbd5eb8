internal import MusterModel
internal import MusterStore

/// Which places of a log damage took, told from the copies of frames that it left: these come by
/// sequence, several of one place where damage left several.
///
/// A copy is proved by the hash that it has after the one before it. Where that one is gone, a copy
/// counts as there if the one after it follows from its hash. Where none follows from the one
/// before it, that one's hash or all copies are spoilt: none counts as there.
struct GapFinder {
  private let operation: OperationID
  private let known: UInt64
  private let held: FrameHash
  /// The first place that is not known to be there.
  private var next: UInt64
  private var before: [LooseFrame] = []
  private var here: [LooseFrame] = []
  /// The last place of which no copy counts as there.
  private var spoilt: UInt64?
  private var gaps: [ClosedRange<UInt64>] = []

  /// - Parameters:
  ///   - known: the last place that there was.
  ///   - held: the newest frame that is held of the log, below all copies that will come.
  init(operation: OperationID, known: UInt64, held: Head?) {
    self.operation = operation
    self.known = known
    self.held = held?.hash ?? .none
    next = held.map { $0.sequence + 1 } ?? 0
  }

  /// Where copies are of interest.
  var first: UInt64 { next }

  mutating func add(_ copy: LooseFrame) {
    if copy.sequence != here.first?.sequence {
      close()
      (before, here) = (here, [])
    }
    here.append(copy)
  }

  /// The places that are missing, once all copies were added.
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

  /// Whether there are copies of the place right before this one.
  private func isLeftBefore(_ sequence: UInt64) -> Bool {
    before.first.map { $0.sequence + 1 == sequence } ?? false
  }
}
