internal import MusterCRDT
internal import MusterModel
internal import MusterStore

/// Zones and reports at an instant, from their state of now and what each change replaced.
///
/// - `known`: the changes that this node learnt after the instant are undone.
/// - `event`: of each field the value of the latest time up to the instant, by the clock of its
///   author and never later than this node learnt it. It exists from its creation, by its author's
///   clock, until this node learnt of its deletion.
struct RowHistory {
  let store: Store
  let recorder: HistoryRecorder

  /// One value of a field, between two changes.
  private struct Version {
    let shown: EarlierRow.Shown
    /// Milliseconds of this node's clock.
    let learnt: Int64
    let until: Int64

    /// By the clock of its author, and never later than this node learnt it.
    var event: Int64 {
      guard shown.value != nil else { return learnt }
      return learnt == .min ? shown.writtenAt : min(shown.writtenAt, learnt)
    }
  }

  private struct Change {
    let learnt: Int64
    let before: EarlierRow
  }

  /// Adds what is different now.
  func add(to picture: inout HistoryPicture) throws(StoreError) {
    for (kind, number) in EarlierRow.kinds.sorted(by: { $0.value < $1.value }) {
      var changes: [RowID: [Change]] = [:]
      let late = try store.lateHistory(number) + recorder.unwrittenLate(number)
      for entry in late {
        guard let before = EarlierRow(decoding: entry.row.body) else { continue }
        let id = RowID(raw: entry.row.subject)
        changes[id, default: []].append(Change(learnt: entry.learnt, before: before))
      }
      for (id, list) in changes.sorted(by: { $0.key < $1.key }) {
        guard let row = try store.row(RowKey(kind: kind, id: id)) else { continue }
        add(row, list, to: &picture)
      }
    }
  }

  private func add(_ row: RowState, _ changes: [Change], to picture: inout HistoryPicture) {
    guard existed(row, changes, at: picture) else {
      if row.exists { picture.absent.append(row.key.id) }
      return
    }
    var values: [Field: Value] = [:]
    // Who reads only what is other takes the rest from its `createdAt` on.
    var isOther = !row.exists || row.createdAt.map { $0 > picture.at } ?? false
    for field in EarlierRow.shown[row.key.kind] ?? [] {
      let now = EarlierRow.Shown(field, of: row)
      var versions: [Version] = []
      for change in changes {
        guard let shown = change.before.fields[field] else { continue }
        versions.append(
          Version(shown: shown, learnt: versions.last?.until ?? .min, until: change.learnt))
      }
      versions.append(Version(shown: now, learnt: versions.last?.until ?? .min, until: .max))
      let value = Self.version(of: versions, at: picture).value
      values[field] = value
      if value != now.value { isOther = true }
    }
    guard isOther else { return }
    switch row.key.kind {
    case .fence: if let zone = zone(row.key.id, values) { picture.zones.append(zone) }
    default: picture.reports.append(report(row.key.id, values))
    }
  }

  private static func version(
    of versions: [Version], at picture: HistoryPicture
  ) -> EarlierRow.Shown {
    let at = picture.at.milliseconds
    let oldest = versions[0].shown
    switch picture.view {
    case .known: return (versions.first { $0.until > at } ?? versions[versions.count - 1]).shown
    case .event:
      // Of equal times the one that was learnt last.
      return versions.filter { $0.event <= at }.max { $0.event <= $1.event }?.shown ?? oldest
    }
  }

  private func existed(
    _ row: RowState, _ changes: [Change], at picture: HistoryPicture
  ) -> Bool {
    let at = picture.at.milliseconds
    let next = changes.first { $0.before.existed != nil && $0.learnt > at }
    switch picture.view {
    case .known: return next?.before.existed ?? row.exists
    case .event:
      let isDeletedLater = next?.before.existed == true
      let existence = Field.existence(of: row.key.kind)
      let created =
        changes.compactMap { change in
          existence.flatMap { change.before.fields[$0]?.writtenAt }
        } + [row.createdAt?.milliseconds ?? .min]
      let isCreatedEarlier = created.contains { $0 <= at }
      return isDeletedLater || row.exists && isCreatedEarlier
    }
  }

  private func zone(_ id: RowID, _ values: [Field: Value]) -> HistoricZone? {
    guard case .geometry(let geometry)? = values[.fenceGeometry] else { return nil }
    return HistoricZone(
      id: id, name: values[.fenceName].text, kind: values[.fenceKind].code() ?? .info,
      isActive: values[.fenceActive] == .code(1), geometry: geometry)
  }

  private func report(_ id: RowID, _ values: [Field: Value]) -> HistoricReport {
    var report = HistoricReport(
      id: id, title: values[.reportTitle].text, category: values[.reportCategory].code() ?? .other,
      toEvacuate: values[.reportToEvacuate] != nil, status: values[.reportStatus].code() ?? .open)
    if case .code(let severity)? = values[.reportSeverity] { report.severity = severity }
    if case .position(let place)? = values[.reportPosition] { report.position = place }
    return report
  }
}

extension Value? {
  /// Empty for anything but a text.
  fileprivate var text: String { if case .text(let text) = self { text } else { "" } }

  /// Nil for anything but a code of this type.
  fileprivate func code<Code: RawRepresentable<UInt8>>() -> Code? {
    if case .code(let code) = self { Code(rawValue: code) } else { nil }
  }
}
