public import MusterModel
internal import MusterReplica

/// A page of the changes of a set, for clients that keep a copy.
public struct SyncPage: Sendable {
  /// What a row shows.
  public enum Content: Sendable {
    /// A person or a tracker.
    case user(UserSummary)
    /// A report, without the progress of its photos.
    case report(ReportSummary)
    /// A geofence.
    case fence(FenceSummary)
    /// A record of this device's user, with its data set. It may be removed.
    case record(dataset: String, RecordSummary)
    /// The row was deleted, or has not arrived whole.
    case deleted
  }

  /// A changed row.
  public struct Item: Sendable {
    /// When the row last changed here, and how often.
    public let change: RowChange
    /// The row now.
    public let content: Content
  }

  /// In the order of their changes.
  public let items: [Item]
  /// The moment of the newest change of the set.
  public let newestMoment: Int64
  /// The position after the items; nil on the last page.
  public let next: RowChangePosition?
}

/// Reads what changed, for clients that keep a copy.
struct SyncReader {
  let set: SyncedSet
  let now: ClockReading

  /// Returns the rows that changed after a position, in the order in which they changed at this
  /// node.
  func page(
    after position: RowChangePosition, limit: Int, of replica: inout Replica
  ) throws -> SyncPage {
    let changes = try replica.queries.changes(of: set, after: position, limit: limit + 1)
    let page = changes.prefix(limit)
    let contents = try contents(of: page.map(\.row), &replica)
    let next = page.last.map { RowChangePosition(moment: $0.moment, row: $0.row) }
    // The records of other users are theirs.
    let listed = set == .records ? page.filter { contents[$0.row] != nil } : Array(page)
    return SyncPage(
      items: listed.map { SyncPage.Item(change: $0, content: contents[$0.row] ?? .deleted) },
      newestMoment: try replica.queries.newestMoment(of: set),
      next: changes.count > limit ? next : nil)
  }

  /// Returns a row with its last change; nil if it never changed.
  func item(_ row: RowID, of replica: inout Replica) throws -> SyncPage.Item? {
    guard let change = try replica.queries.change(of: row, in: set) else { return nil }
    let contents = try contents(of: [row], &replica)
    return SyncPage.Item(change: change, content: contents[row] ?? .deleted)
  }

  private func contents(
    of rows: [RowID], _ replica: inout Replica
  ) throws -> [RowID: SyncPage.Content] {
    guard !rows.isEmpty else { return [:] }
    var contents: [RowID: SyncPage.Content] = [:]
    switch set {
    case .users:
      let users = rows.map { UserID(raw: $0.raw) }
      for user in try replica.statuses(now: now).users(users) {
        contents[RowID(raw: user.id.raw)] = .user(user)
      }
    case .reports:
      for report in try replica.queries.reports(rows) { contents[report.id] = .report(report) }
    case .fences:
      for fence in try replica.queries.fences(rows) { contents[fence.id] = .fence(fence) }
    case .records:
      for (row, found) in try replica.queries.records(rows) {
        contents[row] = .record(dataset: found.dataset, found.record)
      }
    }
    return contents
  }
}
