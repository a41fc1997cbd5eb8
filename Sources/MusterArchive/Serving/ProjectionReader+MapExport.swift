public import MusterInterchange
internal import MusterHTTP
internal import MusterModel

extension ProjectionReader {
  /// The fixes of one track.
  private static let trackFixes = 1_000_000

  /// Returns the projected data of an operation for other tools. Throws `ArchiveFault`.
  ///
  /// - Parameter reference: the operation's name, or the beginning of its id.
  public func mapExport(of reference: String) throws -> OperationExport {
    let id = try operation(named: reference)
    return try database.transaction {
      try database.script("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
      let users: [UserSummary] = try all(.users, in: id)
      let events: [CrossingSummary] = try all(.events, in: id)
      return OperationExport(
        name: try names(of: [id])[id] ?? "", users: users, reports: try all(.reports, in: id),
        fences: try all(.fences, in: id),
        events: events.sorted { ($0.sampleTime, $0.id) < ($1.sampleTime, $1.id) },
        tracks: try users.map { user in
          OperationExport.PersonTrack(
            callsign: user.callsign,
            fixes: try track(
              of: user.id, in: id, from: nil, to: nil, limit: Self.trackFixes))
        })
    }
  }

  private func all<Summary: Decodable>(
    _ set: ArchivedSet, in operation: OperationID
  ) throws -> [Summary] {
    try summaries(of: set, in: operation, .page(after: nil, limit: .max))
  }
}
