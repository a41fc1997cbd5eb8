internal import MusterCRDT
internal import MusterModel
internal import MusterStore

/// The reports, with who holds them.
struct ReportList {
  let context: ReadContext
  let delivery: DeliveryTracker
  let photos: PhotoReader

  /// Returns all reports, without the progress of their photos: open and most severe first, then
  /// the newest.
  func reports() throws -> [ReportSummary] {
    var delivery = delivery
    var summaries: [ReportSummary] = []
    for row in try context.store.rows(.report) where row.exists {
      summaries.append(try summary(row, by: &delivery))
    }
    return summaries.sorted { left, right in
      let leftOrder = (left.status.rawValue, left.toEvacuate ? 0 : 1, -Int(left.severity ?? 0))
      let rightOrder = (right.status.rawValue, right.toEvacuate ? 0 : 1, -Int(right.severity ?? 0))
      if leftOrder != rightOrder { return leftOrder < rightOrder }
      return left.createdAt != right.createdAt
        ? left.createdAt > right.createdAt : left.id < right.id
    }
  }

  /// Returns those of some reports that exist, without the progress of their photos.
  func reports(_ ids: [RowID]) throws -> [ReportSummary] {
    var delivery = delivery
    return try ids.compactMap { id in
      guard let row = try context.store.row(RowKey(kind: .report, id: id)), row.exists else {
        return nil
      }
      return try summary(row, by: &delivery)
    }
  }

  /// Returns a report. Throws `Refusal` for one that was deleted, or has not arrived.
  func report(_ id: RowID) throws -> ReportSummary {
    var delivery = delivery
    let row = try context.existing(.report, id)
    var report = try summary(row, by: &delivery)
    report.photos = try photos.photos(of: row)
    return report
  }

  private func summary(
    _ row: RowState, by delivery: inout DeliveryTracker
  ) throws(StoreError) -> ReportSummary {
    let owner = row.owner ?? UserID(raw: .zero)
    var position: Coordinate?
    if case .position(let place)? = row.shown(.reportPosition)?.value { position = place }
    return ReportSummary(
      id: row.key.id, title: row.text(.reportTitle) ?? "",
      details: row.text(.reportDescription) ?? "",
      category: row.code(.reportCategory).flatMap(ReportCategory.init) ?? .other,
      severity: row.code(.reportSeverity), position: position,
      toEvacuate: row.isSet(.reportToEvacuate),
      status: row.code(.reportStatus).flatMap(ReportStatus.init) ?? .open, owner: owner,
      ownerCallsign: try context.authorship(ofCreating: row),
      confirmations: try confirmations(of: row),
      comments: try comments(of: row), conflicts: try context.conflicts(of: row),
      photoCount: PhotoReader.count(in: row), delivery: try delivery.delivery(of: row),
      createdAt: row.createdAt ?? Timestamp(milliseconds: 0),
      updatedAt: row.updatedAt ?? Timestamp(milliseconds: 0))
  }

  /// Returns who confirmed a report: each person once, on their own device if they did so there.
  /// What went through a login does not count for the report's own author.
  private func confirmations(of row: RowState) throws(StoreError) -> [String] {
    var first: [Writer: LiveValue] = [:]
    for value in row.values(of: .reportConfirmations)
    where first[value.writer] == nil || value.onBehalfOf == nil {
      if value.onBehalfOf != nil, value.writer == row.creator { continue }
      first[value.writer] = value
    }
    var names: Set<String> = []
    for value in first.values { names.insert(try context.authorship(of: value).text) }
    return names.sorted()
  }

  private func comments(of row: RowState) throws(StoreError) -> [ReportComment] {
    var comments: [(dot: Dot, comment: ReportComment)] = []
    for value in row.values(of: .reportComments) {
      guard case .text(let text) = value.value else { continue }
      comments.append(
        (
          value.dot,
          ReportComment(
            callsign: try context.authorship(of: value), text: text, writtenAt: value.writtenAt
          )
        ))
    }
    return comments.sorted {
      ($0.comment.writtenAt, $0.dot) < ($1.comment.writtenAt, $1.dot)
    }.map(\.comment)
  }
}
