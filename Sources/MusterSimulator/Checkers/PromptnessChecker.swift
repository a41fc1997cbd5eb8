import MusterModel
import MusterReplica
import MusterStore

/// Measures how long a report takes from its acknowledgement until all nodes show it, and compares
/// it with the scenario's limit.
final class PromptnessChecker: Checker {
  private struct Spread {
    let start: Instant
    let isHazard: Bool
    var seen: [Bool]
    var missing: Int
  }

  /// Measured durations in milliseconds.
  struct Delays {
    private var milliseconds: [Int64] = []

    mutating func add(_ delay: Int64) { milliseconds.append(delay) }

    var summary: DelaySummary? {
      let sorted = milliseconds.sorted()
      guard let longest = sorted.last else { return nil }
      return DelaySummary(
        count: sorted.count, medianMilliseconds: sorted[sorted.count / 2],
        longestMilliseconds: longest)
    }
  }

  private let expectations: Expectations
  private var spreading: [RowID: Spread] = [:]
  private(set) var reports = Delays()
  private(set) var hazards = Delays()

  init(_ expectations: Expectations) { self.expectations = expectations }

  func wrote(_ act: Act, made: RowKey?, at node: SimulatedNode, in world: World) throws {
    // The reports of a device that exhausts its quotas may be delayed.
    guard case .report(let draft) = act, let made, world.phase == .story,
      !world.faulty.overfillers.contains(node.index)
    else { return }
    // Only nodes that are running and may read count.
    let seen = world.nodes.map { !($0.isRunning && $0.reads) || $0.index == node.index }
    let missing = seen.filter { !$0 }.count
    guard missing > 0 else { return }
    spreading[made.id] = Spread(
      start: world.now, isHazard: draft.toEvacuate, seen: seen, missing: missing)
  }

  func took(_ outcome: Replica.Outcome, at node: SimulatedNode, in world: World) throws {
    for row in outcome.changedRows where row.kind == .report {
      guard var spread = spreading[row.id], !spread.seen[node.index] else { continue }
      spread.seen[node.index] = true
      spread.missing -= 1
      guard spread.missing == 0 else {
        spreading[row.id] = spread
        continue
      }
      spreading[row.id] = nil
      finish(spread, row.id, in: world)
    }
  }

  private func finish(_ spread: Spread, _ report: RowID, in world: World) {
    let delay = world.now.milliseconds(since: spread.start)
    if spread.isHazard { hazards.add(delay) } else { reports.add(delay) }
    check(spread, report, delay: delay, in: world)
  }

  private func check(_ spread: Spread, _ report: RowID, delay: Int64, in world: World) {
    let expected =
      spread.isHazard
      ? expectations.hazardsWithinMilliseconds : expectations.reportsWithinMilliseconds
    guard let expected, delay > expected else { return }
    let promise = spread.isHazard ? "hazards_within" : "reports_within"
    world.report(
      promise, "report \(report.short) took \(Quantity.duration(delay)) to be everywhere")
  }

  func conclude(_ world: World) throws {
    for report in spreading.keys.sorted() {
      guard let spread = spreading[report] else { continue }
      check(spread, report, delay: world.now.milliseconds(since: spread.start), in: world)
    }
  }
}
