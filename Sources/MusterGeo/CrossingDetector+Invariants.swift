internal import MusterModel

extension CrossingDetector {
  /// Traps if the state is inconsistent; for tests and simulations.
  public func checkInvariants() {
    if let violation { preconditionFailure("crossing detector: \(violation): \(self)") }
  }

  /// The violated invariant, if any.
  var violation: String? {
    if zip(watched, watched.dropFirst()).contains(where: { $0 >= $1 }) {
      return "fences out of order"
    }
    if zip(stays, stays.dropFirst()).contains(where: { $0.fence >= $1.fence }) {
      return "stays out of order"
    }
    if zip(counts, counts.dropFirst()).contains(where: { $0.fence >= $1.fence }) {
      return "counts out of order"
    }
    if counts.contains(where: { $0.transitions == 0 }) { return "a count of nothing" }
    if counts.contains(where: { $0.transitions > Self.lastTransition }) {
      return "too many transitions"
    }
    guard let lastSampleTime else {
      return watched.isEmpty && stays.isEmpty && counts.isEmpty ? nil : "fences without a fix"
    }
    for stay in stays {
      if watched.sortedPosition(of: stay.fence) == nil {
        return "inside a fence that is not under watch"
      }
      if let wait = stay.wait {
        if wait.since > lastSampleTime { return "waiting since a future time" }
      } else if !counts.contains(where: { $0.fence == stay.fence }) {
        return "inside a fence that was never entered"
      }
    }
    return nil
  }

  /// Four transitions per second for seventeen years; a larger number means damage. Twice that
  /// still fits the counter, so that it never overflows.
  private static var lastTransition: UInt32 { .max / 2 }
}
