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
    var (delivery, confirmations) = (delivery, ConfirmationReader(context: context))
    var summaries: [ReportSummary] = []
    for row in try context.store.rows(.report) where row.exists {
      summaries.append(try summary(row, by: &delivery, &confirmations))
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
    var (delivery, confirmations) = (delivery, ConfirmationReader(context: context))
    return try ids.compactMap { id in
      guard let row = try context.store.row(RowKey(kind: .report, id: id)), row.exists else {
        return nil
      }
      return try summary(row, by: &delivery, &confirmations)
    }
  }

  /// Returns a report. Throws `Refusal` for one that was deleted, or has not arrived.
  func report(_ id: RowID) throws -> ReportSummary {
    var (delivery, confirmations) = (delivery, ConfirmationReader(context: context))
    let row = try context.existing(.report, id)
    var report = try summary(row, by: &delivery, &confirmations)
    report.photos = try photos.photos(of: row)
    return report
  }

  private func summary(
    _ row: RowState, by delivery: inout DeliveryTracker,
    _ confirmations: inout ConfirmationReader
  ) throws(StoreError) -> ReportSummary {
    let confirmedBy = try confirmations.confirmations(of: row)
    let comments = try comments(of: row)
    let owner = row.owner ?? UserID(raw: .zero)
    var position: Coordinate?
    if case .position(let place)? = row.shown(.reportPosition)?.value { position = place }
    var summary = ReportSummary(
      id: row.key.id, title: row.text(.reportTitle) ?? "",
      details: row.text(.reportDescription) ?? "",
      category: row.code(.reportCategory).flatMap(ReportCategory.init) ?? .other,
      severity: row.code(.reportSeverity), position: position,
      toEvacuate: row.isSet(.reportToEvacuate),
      status: row.code(.reportStatus).flatMap(ReportStatus.init) ?? .open, owner: owner,
      ownerCallsign: try context.authorship(ofCreating: row),
      confirmations: confirmedBy.counting,
      comments: comments, conflicts: try context.conflicts(of: row),
      photoCount: PhotoReader.count(in: row), delivery: try delivery.delivery(of: row),
      createdAt: row.createdAt ?? Timestamp(milliseconds: 0),
      updatedAt: row.updatedAt ?? Timestamp(milliseconds: 0))
    summary.confirmedBy = confirmedBy
    summary.moreComments = row.values(of: .reportComments).count - comments.count
    summary.content = Hex.encode(row.content(in: context.local.operation).encoded)
    return summary
  }

  /// Authors below command have a number of comments, whatever they write through how many strands.
  private func comments(of row: RowState) throws(StoreError) -> [ReportComment] {
    var shown: [LiveValue] = []
    var counts: [UserID: Int] = [:]
    let newestFirst = row.values(of: .reportComments).sorted {
      ($0.writtenAt, $0.dot) > ($1.writtenAt, $1.dot)
    }
    for value in newestFirst {
      if value.role != .command {
        guard counts[value.author, default: 0] < Limits.commentsOfAuthor else { continue }
        counts[value.author, default: 0] += 1
      }
      shown.append(value)
    }
    var comments: [ReportComment] = []
    for value in shown.reversed() {
      guard case .text(let text) = value.value else { continue }
      comments.append(
        ReportComment(
          callsign: try context.authorship(of: value), text: text, writtenAt: value.writtenAt))
    }
    return comments
  }
}
