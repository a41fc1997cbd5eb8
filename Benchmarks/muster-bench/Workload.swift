import MusterModel
import MusterReplica

/// What the benches write: reports of a flood, made by number.
enum Workload {
  /// Existence, title, description, category, severity, position and status.
  static let operationsPerReport = 7

  static func report(_ index: Int) -> ReportDraft {
    ReportDraft(
      title: "Report \(index)", details: "Water over the road", category: .flood, severity: 3,
      position: Coordinate(latitudeE7: 404_000_000 + Int64(index % 100_000), longitudeE7: 0))
  }

  /// A report whose two texts are to be updated.
  static func blank(_ index: Int) -> ReportDraft { ReportDraft(title: "r\(index)", details: "-") }

  /// An update of one field with 24 hexadecimal digits.
  static func change(_ number: UInt64, isTitle: Bool) -> ReportChanges {
    let digits = String(number, radix: 16)
    let text = String(repeating: "0", count: 24 - digits.count) + digits
    return isTitle ? ReportChanges(title: text) : ReportChanges(details: text)
  }
}

extension Mesh {
  /// The founder's reports, so many at once.
  mutating func addReports(_ count: Int, burst: Int) throws {
    for first in stride(from: 0, to: count, by: burst) {
      try gather(at: 0) { replica, now in
        for index in first..<min(count, first + burst) {
          _ = try replica.write(ReportRequests.add(Workload.report(index)), now: now)
        }
      }
    }
  }
}
