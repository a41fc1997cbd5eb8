package import MusterModel
package import MusterSync

extension Replica {
  /// Authors whatever it is given, properly sealed and signed, as a program would that somebody
  /// had changed for the worse. For simulated insiders alone: nobody outside the package can reach
  /// it, and every honest replica judges for itself what it reads.
  package mutating func author(
    unchecked operations: [Operation], lane: Lane, now: ClockReading
  ) throws -> Outcome {
    try transact(now: now) { try $0.append(operations.map { [$0] }, lane: lane, now: now) }
  }
}
