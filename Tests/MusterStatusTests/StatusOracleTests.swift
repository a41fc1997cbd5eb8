import Foundation
import MusterGeo
import MusterModel
import MusterStatus
import MusterTestKit
import Testing

/// The status function agrees about random histories with a Python oracle that was written
/// independently from the tables of decision 0037. `MUSTER_STATUS_HISTORIES=20000` for all of them.
@Suite struct StatusOracleTests {
  private static let count =
    ProcessInfo.processInfo.environment["MUSTER_STATUS_HISTORIES"].flatMap(Int.init) ?? 2000

  @Test(.enabled(if: try Python.has("json"), "needs python3"))
  func `The status of random people agrees with the oracle`() throws {
    var statuses: [String: Int] = [:]
    for line in try Self.histories(seed: 1, count: Self.count) {
      let history = try JSONDecoder().decode(DrawnHistory.self, from: Data(line.utf8))
      let found = history.assessment
      let wanted = history.expected
      statuses[wanted.status, default: 0] += 1
      let conditions = found.conditions.map { [$0.status.rawValue, $0.severity.rawValue] }
      let agrees =
        found.status.rawValue == wanted.status && found.severity.rawValue == wanted.severity
        && conditions == wanted.conditions
        && found.satisfiedOrders.map { Int($0.raw.low) } == wanted.satisfied
        && found.guidance.map { Int($0.order.raw.low) } == wanted.order
        && Self.agree(found.guidance, wanted.goal)
      #expect(agrees, "found \(found)\nwanted \(wanted)\nin \(line)")
      if !agrees { break }
    }
    print("statuses:", statuses.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })
    #expect(Set(statuses.keys) == Set(PersonStatus.allCases.map(\.rawValue)), "each is drawn")
  }

  @Test(.enabled(if: try Python.has("json"), "needs python3"))
  func `A node that holds only the newest position records agrees with the oracle`() throws {
    var (dangers, all) = (0, 0)
    for line in try Self.histories(seed: 3, count: Self.count) {
      let history = try JSONDecoder().decode(DrawnHistory.self, from: Data(line.utf8))
      let needs = history.needsEarlierRecords
      guard !needs.danger else { continue }
      all += 1
      let found = history.assessmentOfNewestRecords.conditions
        .map { [$0.status.rawValue, $0.severity.rawValue] }
      func seen(_ conditions: [[String]]) -> [[String]] {
        needs.time ? conditions.filter { $0[0] == "inHazard" } : conditions
      }
      let wanted = history.expected.conditions
      #expect(seen(found) == seen(wanted), "found \(found)\nwanted \(wanted)\nin \(line)")
      if seen(found) != seen(wanted) { break }
      if wanted.contains(where: { $0[0] == "inHazard" }) { dangers += 1 }
    }
    #expect(dangers > all / 20, "\(dangers) of \(all)")
  }

  @Test(.enabled(if: try Python.has("json"), "needs python3"))
  func `Nothing changes before the announced time`() throws {
    var announced = 0
    for line in try Self.histories(seed: 2, count: 500) {
      let history = try JSONDecoder().decode(DrawnHistory.self, from: Data(line.utf8))
      let now = history.assessment
      guard let next = now.nextChange else {
        let later = history.assessment(after: 100 * 86_400_000)
        #expect(later.conditions == now.conditions, "\(line)")
        continue
      }
      announced += 1
      let before = history.assessment(after: next - history.input.now - 1)
      #expect(before.conditions == now.conditions && before.orders == now.orders, "\(line)")
    }
    #expect(announced > 100)
  }

  private static func agree(_ guidance: OrderGuidance?, _ wanted: DrawnHistory.Goal?) -> Bool {
    guard let wanted else { return guidance?.zone == nil }
    guard let guidance, let metres = guidance.distanceMetres,
      guidance.zone.map({ Int($0.raw.low) }) == wanted.zone,
      abs(metres - wanted.metres) <= 0.5 + wanted.metres * 0.002
    else { return false }
    guard let bearing = wanted.bearing else { return guidance.bearingDegrees == nil }
    guard let found = guidance.bearingDegrees else { return false }
    let difference = abs((found - bearing).remainder(dividingBy: 360))
    return difference < 0.5 || wanted.metres < 20 && difference < 3
  }

  private static func histories(seed: Int, count: Int) throws -> [Substring] {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let script = tests.appending(path: "Oracle/status.py").path
    let answer = try Python.runBriefly([script, "\(seed)", "\(count)"])
    try #require(answer.status == 0)
    return answer.output.split(separator: "\n")
  }
}
