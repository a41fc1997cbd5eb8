package import MusterModel
package import MusterSync

extension MaliciousMember {
  /// Writes any entries, correctly sealed and signed, as a maliciously modified program would. For
  /// simulated insiders only: it is not public, and every honest replica validates what it reads.
  package static func author(
    _ replica: inout Replica, unchecked operations: [Operation], lane: Lane, now: ClockReading
  ) throws -> Replica.Outcome {
    try replica.transact(now: now) { try $0.append(operations.map { [$0] }, lane: lane, now: now) }
  }
}
