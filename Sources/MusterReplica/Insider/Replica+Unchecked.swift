package import MusterModel
package import MusterSync

extension Replica {
  /// Writes any entries, correctly sealed and signed, as a maliciously modified program would. For
  /// simulated insiders only: it is not public, and every honest replica validates what it reads.
  package mutating func author(
    unchecked operations: [Operation], lane: Lane, now: ClockReading
  ) throws -> Outcome {
    try transact(now: now) { try $0.append(operations.map { [$0] }, lane: lane, now: now) }
  }
}
