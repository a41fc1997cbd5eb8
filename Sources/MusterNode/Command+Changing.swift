internal import MusterModel
internal import MusterReplica

/// Commands that are one call of the replica and write no rows.
extension Command {
  /// Performs a command. MUST NOT be called for any other command.
  func change(
    _ replica: inout Replica, now: ClockReading
  ) throws -> (reply: Reply, outcome: Replica.Outcome) {
    switch self {
    case .setPosition(let fix):
      return (.done, try replica.setPosition(fix, once: nil, now: now))
    case .rotateEpoch: return (.done, try replica.rotateEpoch(now: now))
    case .release(let reference):
      let (count, outcome) = try replica.release(reference, now: now)
      return (.released(count), outcome)
    case .mergeBundle(let bytes, let place, let isLast):
      let (progress, outcome) = try replica.merge(
        bytes.bytes, at: place.bytes, isLast: isLast, now: now)
      return (.bundleProgress(progress), outcome)
    case .requestPhoto: return (.done, try requestPhoto(by: &replica, now: now))
    case .setCheckInPins(let change):
      return (
        .done, try replica.setCheckInPins(change.pins, current: change.current, now: now)
      )
    default: preconditionFailure("\(self) is not one call of the replica")
    }
  }
}
