internal import MusterModel

/// Reports of one author beyond three in ten minutes: one alert, which opens to all of them.
///
/// An author who files many reports at once would otherwise hide those of others. The alert stays
/// while two of its reports are open, whatever was acknowledged meanwhile; a further report of the
/// author joins it until it is acknowledged.
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
      byReporter["\(owner) \(report.reporter)", default: []].append(finding)
    }
    var folded: [Finding] = []
    for (_, reports) in byReporter where reports.count > 1 {
      folded += group(of: reports).map { [$0] } ?? []
    }
    guard !folded.isEmpty else { return findings }
    let members = Set(folded.flatMap { $0.calls.map(\.id) })
    return findings.filter { !members.contains($0.id) } + folded
  }

  /// Returns one finding for those of an author's reports that belong together.
  private func group(of reports: [Finding]) -> Finding? {
    let known = stored.group(.reportGroup, with: Set(reports.map(\.id)))
    var members = known.map { $0.members } ?? []
    let isOpen = known.map { !$0.isAcknowledged } ?? false
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
    return finding(of: found, id: known?.id ?? AlertID(kind: .reportGroup, row: found[0].id.row))
  }

  private func finding(of reports: [Finding], id: AlertID) -> Finding {
    let parts = reports.sorted { left, right in
      left.level != right.level ? left.level > right.level : left.id < right.id
    }.compactMap(\.report)
    let requests = parts.count(where: \.toEvacuate)
    let evacuation = requests > 0 ? ", \(requests) to evacuate" : ""
    let more = parts.count > Self.titles ? "; and \(parts.count - Self.titles) more" : ""
    return Finding(
      id: id, level: reports.map(\.level).max() ?? .warning,
      text: "\(parts.first?.reporter ?? "") reports \(reports.count) times\(evacuation): "
        + parts.prefix(Self.titles).map(\.title).joined(separator: "; ") + more,
      author: reports[0].author,
      calls: reports.map(AlertTracker.FoldedCall.init))
  }
}
