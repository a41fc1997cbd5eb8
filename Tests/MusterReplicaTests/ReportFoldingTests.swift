import MusterModel
import Testing

@testable import MusterReplica

/// Reports of one author that share an alert.
@Suite struct ReportFoldingTests {
  private static let now = Timestamp(milliseconds: 1_700_000_000_000)

  private static func bytes(_ number: Int) -> Bytes16 { Bytes16(high: 0, low: UInt64(number)) }

  private func report(_ number: Int, _ level: AlertLevel) -> AlertTracker.Finding {
    var finding = AlertTracker.Finding(
      id: AlertID(kind: .hazard, row: RowID(raw: Self.bytes(number))), level: level,
      phrase: Phrase(.report))
    finding.report = AlertReport(
      reporter: "Ana", toEvacuate: false, title: "R\(number)", category: .other, isProven: true,
      place: .unknown)
    finding.phrase = finding.report?.phrase ?? finding.phrase
    finding.cause = AlertCause(
      dots: [Dot(frame: Self.bytes(number), index: 0)], positions: [])
    return finding
  }

  /// The alerts after a review, without those of earlier ones that ended.
  private func review(_ reports: [AlertTracker.Finding], _ stored: inout AlertTracker) -> [Alert] {
    let folded = ReportFolding(stored: stored, now: Self.now).folding(reports)
    stored.update(folded, now: Self.now) { _ in [] }
    return stored.alerts
  }

  @Test func `a grave report is a row of its own beside many minor ones`() {
    var stored = AlertTracker()
    let minor = (1...5).map { report($0, .notice) }
    #expect(review(minor, &stored).map(\.id.kind) == [.reportGroup])

    // One grave report is named, and four of them are a group of their own
    let one = review(minor + [report(6, .danger)], &stored)
    #expect(one.map(\.id.kind) == [.hazard, .reportGroup])
    #expect(one[0].text.contains("R6"))
    let four = review(minor + (6...9).map { report($0, .danger) }, &stored)
    #expect(four.map(\.level) == [.danger, .notice])
    #expect(four.map(\.members.count) == [4, 5])

    // A minor one that becomes grave joins those, also if it had given its id to the minor ones
    let raised = review(
      [report(1, .danger)] + minor.dropFirst() + (6...9).map { report($0, .danger) }, &stored)
    #expect(Set(raised.map(\.id)) == Set(four.map(\.id)))
    #expect(raised.map(\.members.count) == [5, 4])
  }

  @Test func `minor reports that all become grave are shown once`() {
    var stored = AlertTracker()
    let group = review((1...6).map { report($0, .notice) }, &stored)
    let some = review(
      (1...4).map { report($0, .danger) } + (5...6).map { report($0, .notice) }, &stored)
    #expect(some.map(\.level) == [.danger, .notice])
    #expect(some[1].id == group[0].id && some[0].id != group[0].id)
  }
}
