import MusterModel

/// What happened in a run so far: its trace, its faults and its violations.
///
/// A class, since a recording looks at the world that owns it.
final class RunRecord {
  /// The seed of the run.
  let seed: UInt64
  private var trace = TraceHash()
  private var tally = KnobTally()
  private(set) var violations: [Violation] = []
  private(set) var acknowledgedWrites = 0
  /// From the heal until all nodes agreed; nil before.
  private(set) var convergedMilliseconds: Int64?
  /// Data for a report; nil, the default, records nothing.
  var recording: Recording?

  private static let mostViolations = 20

  init(seed: UInt64) { self.seed = seed }

  var traceHash: String { trace.hexadecimal }

  func note(_ kind: TraceHash.Kind, at time: Instant, node: Int, _ bytes: [UInt8] = []) {
    trace.note(kind, at: time, node: node, bytes)
  }

  /// Counts an occurrence of a fault.
  func fire(_ knob: Knob) { tally.fire(knob) }

  /// Returns how often a fault occurred.
  func fired(_ knob: Knob) -> Int { tally.fired[knob] ?? 0 }

  func acknowledge(writes: Int) { acknowledgedWrites += writes }

  func converge(afterMilliseconds milliseconds: Int64) { convergedMilliseconds = milliseconds }

  /// Keeps a violation, unless there are many already.
  func add(_ violation: Violation) {
    if violations.count < Self.mostViolations { violations.append(violation) }
  }
}
