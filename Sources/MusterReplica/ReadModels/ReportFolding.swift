internal import MusterModel

/// Reports of one author beyond three in ten minutes: one alert, which opens to all of them.
///
/// An author who files many reports at once would otherwise hide those of others. Only reports of
/// one level share it: what is grave is no line among minor ones. The alert stays while two of its
/// reports are open, whatever was acknowledged meanwhile; a further report of the author joins it
/// until it is acknowledged.
struct ReportFolding {
  /// As many are rows of their own.
  static let apart = 3
  static let windowMilliseconds: Int64 = 600_000
  /// The most titles in a text.
  private static let titles = 6

  let stored: AlertTracker
  let now: Timestamp

  private typealias Finding = AlertTracker.Finding

  /// Returns the findings with the reports of an author who files many as one.
  func folding(_ findings: [AlertTracker.Finding]) -> [AlertTracker.Finding] {
    var byReporter: [String: [Finding]] = [:]
    for finding in findings {
      guard finding.id.kind == .hazard, finding.cause.isShared, let report = finding.report else {
        continue
      }
      // The name of a login is not unique.
      let owner = finding.author.map { "\($0)" } ?? ""
      byReporter["\(owner) \(finding.level) \(report.reporter.text)", default: []].append(finding)
    }
    let many = byReporter.values.filter { $0.count > 1 }
    guard !many.isEmpty else { return findings }
    let groups = stored.alerts.filter { $0.id.kind == .reportGroup }
    let folded = many.compactMap { group(of: $0, groups) }
    guard !folded.isEmpty else { return findings }
    let members = Set(folded.flatMap { $0.calls.map(\.id) })
    return findings.filter { !members.contains($0.id) } + folded
  }

  /// Returns one finding for those of an author's reports of one level that belong together.
  private func group(of reports: [Finding], _ groups: [Alert]) -> Finding? {
    let (level, ids) = (reports[0].level, Set(reports.map(\.id)))
    let known = groups.first { $0.level == level && !ids.isDisjoint(with: $0.members) }
    var members = Set(known?.members ?? [])
    let isOpen = known.map { $0.acknowledgement == nil } ?? false
    let waiting = reports.filter { !members.contains($0.id) && !stored.isAcknowledged($0.id) }
      .map { (id: $0.id, since: stored.since(of: $0.id) ?? now) }
      .sorted { ($0.since, $0.id) < ($1.since, $1.id) }
    if isOpen {
      members.formUnion(waiting.map(\.id))
    } else {
      for (index, last) in waiting.enumerated().dropFirst(Self.apart) {
        let first = waiting[index - Self.apart]
        guard last.since.milliseconds(since: first.since) <= Self.windowMilliseconds else {
          continue
        }
        members.formUnion(waiting[(index - Self.apart)...index].map(\.id))
      }
    }
    let found = reports.filter { members.contains($0.id) }.sorted { $0.id < $1.id }
    guard found.count > 1 else { return nil }
    // A group of another level may have the id of a report that has become graver since.
    let free = found.map { AlertID(kind: .reportGroup, row: $0.id.row) }.first { id in
      !groups.contains { $0.id == id }
    }
    return (known?.id ?? free).map { finding(of: found, id: $0) }
  }

  private func finding(of reports: [Finding], id: AlertID) -> Finding {
    let parts = reports.compactMap(\.report)
    let requests = parts.count(where: \.toEvacuate)
    var values: [String: Phrase.Value] = [
      "by": parts.first?.reporter.value ?? .text(""), "count": .count(reports.count),
      "titles": .texts(parts.prefix(Self.titles).map(\.title)),
    ]
    if requests > 0 { values["requests"] = .count(requests) }
    if parts.count > Self.titles { values["more"] = .count(parts.count - Self.titles) }
    return Finding(
      id: id, level: reports[0].level, phrase: Phrase(.manyReports, values),
      author: reports[0].author,
      calls: reports.map(AlertTracker.FoldedCall.init))
  }
}
