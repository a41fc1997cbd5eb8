internal import MusterModel

extension CrossingDetector {
  /// Stops the program when the state contradicts itself; for tests and simulations.
  public func checkInvariants() {
    if let violation { preconditionFailure("crossing detector: \(violation): \(self)") }
  }

  /// What is wrong with the state, if anything.
  var violation: String? {
    if zip(watched, watched.dropFirst()).contains(where: { $0 >= $1 }) {
      return "fences out of order"
    }
    if zip(entries, entries.dropFirst()).contains(where: { $0.fence >= $1.fence }) {
      return "entries out of order"
    }
    if lastSampleTime == nil, !watched.isEmpty || !entries.isEmpty {
      return "fences without a fix"
    }
    for entry in entries {
      if entry.transitions == 0 { return "an entry that was never entered" }
      if entry.transitions > Self.lastTransition { return "too many transitions" }
      if entry.state != .outside, watched.sortedPosition(of: entry.fence) == nil {
        return "inside a fence that is not under watch"
      }
    }
    return nil
  }

  /// Four transitions a second for seventeen years; beyond it the bytes are damaged. It leaves
  /// the counter as much room again, so that counting never overflows.
  private static var lastTransition: UInt32 { .max / 2 }
}
