internal import MusterCRDT
internal import MusterModel
internal import MusterStore

/// Missed check-ins that command started for several people at once: one alert, such as
/// `South: 3 of 7 missed the check-in: Ben, Cleo, Dan`.
///
/// They have one cause, so that they are one row (IEC 62682): seven rows of one missed roll would
/// hide everything else. A person with another danger has an alert of their own for it. What a
/// member starts does not fold: it would hide who is missing behind an invented crowd.
struct CheckInFolding {
  let context: ReadContext
  let checkIns: CheckInIndex
  /// By id.
  let people: [UserID: UserSummary]

  private typealias Finding = AlertTracker.Finding

  /// Returns the findings with those of one batch as one, if there are two or more.
  func folding(_ findings: [AlertTracker.Finding]) throws -> [AlertTracker.Finding] {
    var late: [CheckInIndex.Batch: [Finding]] = [:]
    for finding in findings where finding.id.kind == .checkIn {
      guard let batch = checkIns.batch(of: finding.id.row) else { continue }
      late[batch, default: []].append(finding)
    }
    late = late.filter { $0.value.count > 1 }
    guard !late.isEmpty else { return findings }
    let all = try members(of: Set(late.keys))
    let folded = Set(late.values.flatMap { $0.map(\.id) })
    return findings.filter { !folded.contains($0.id) }
      + late.map { finding(of: $0.value, batch: $0.key, all[$0.key] ?? []) }
  }

  /// Returns all timers of batches, also those that ended, by id.
  private func members(
    of batches: Set<CheckInIndex.Batch>
  ) throws(StoreError) -> [CheckInIndex.Batch: [RowState]] {
    var members: [CheckInIndex.Batch: [RowState]] = [:]
    for row in try context.store.rows(.checkIn) {
      guard let start = row.checkInStart else { continue }
      let batch = CheckInIndex.Batch(author: start.author, startedAt: start.writtenAt)
      if batches.contains(batch) { members[batch, default: []].append(row) }
    }
    return members.mapValues { $0.sorted { $0.key.id < $1.key.id } }
  }

  private func finding(
    of late: [Finding], batch: CheckInIndex.Batch, _ all: [RowState]
  ) -> Finding {
    let ordered = late.sorted { $0.id < $1.id }
    let names = ordered.compactMap { checkIns.person(of: $0.id.row).flatMap { people[$0] } }
      .map(\.callsign).sorted()
    return Finding(
      id: AlertID(kind: .checkInGroup, row: all.first?.key.id ?? ordered[0].id.row),
      level: ordered.map(\.level).max() ?? .warning,
      phrase: Phrase(
        .checkInsMissed,
        [
          "group": .text(group(all)), "missed": .count(late.count),
          "all": .count(max(all.count, late.count)), "names": SharedAlert.list(names),
        ]),
      author: batch.author,
      calls: ordered.map(AlertTracker.FoldedCall.init))
  }

  /// Returns the team of everyone in a batch, or else the note of the check-in.
  private func group(_ all: [RowState]) -> String {
    let teams = Set(all.map { row in row.checkInPerson.flatMap { people[$0]?.team } ?? "" })
    if teams.count == 1, let team = teams.first, !team.isEmpty { return team }
    let note = all.first?.text(.checkInNote)?.split(separator: "\n").first ?? ""
    return String(note.prefix(60))
  }
}
