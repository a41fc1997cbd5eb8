internal import MusterModel
internal import MusterReplica

/// The replica as one command writes into it: every row is written for the sender of the command.
struct RowWriter {
  private var replica: Replica
  /// The person or login that this device writes for; nil for its own user.
  private let onBehalfOf: Principal?

  /// Returns what performs a row write for its sender.
  static func performing(
    _ write: @escaping Command.RowWrite, onBehalfOf principal: Principal?
  ) -> Command.ReplicaWrite {
    { replica, now in
      // Moved, because a copy would be copied again with the first change.
      var writer = RowWriter(replica: consume replica, onBehalfOf: principal)
      do {
        let written = try write(&writer, now)
        replica = writer.replica
        return written
      } catch {
        replica = writer.replica
        throw error
      }
    }
  }

  var queries: Queries { replica.queries }

  mutating func statuses(now: ClockReading) throws -> StatusQueries {
    try replica.statuses(now: now)
  }

  mutating func write(
    _ request: WriteRequest<Void>, now: ClockReading
  ) throws -> Replica.Outcome {
    try replica.write(request, onBehalfOf: onBehalfOf, now: now)
  }

  mutating func write<Answer>(
    _ request: WriteRequest<Answer>, now: ClockReading
  ) throws -> (answer: Answer, outcome: Replica.Outcome) {
    try replica.write(request, onBehalfOf: onBehalfOf, now: now)
  }

  mutating func photo(
    at address: BlobID, of report: RowID, now: ClockReading
  ) throws -> PhotoID {
    try replica.photo(at: address, of: report, now: now)
  }

  mutating func acknowledgeAlert(
    _ reference: String, by name: String?, for user: UserID?, isByProgram: Bool, answer: String?,
    now: ClockReading
  ) throws -> Replica.Outcome {
    try replica.acknowledgeAlert(
      reference, by: name, for: user, isByProgram: isByProgram, answer: answer,
      onBehalfOf: onBehalfOf, now: now)
  }
}
