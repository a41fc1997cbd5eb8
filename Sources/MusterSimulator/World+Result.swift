import MusterModel

/// The result of a run.
extension World {
  // MARK: Convergence

  /// Returns whether all participants hold the same and, if they may read, show the same.
  func isInAgreement() throws -> Bool { try Convergence(of: self).isComplete() }

  /// Returns the largest differences in one line.
  func disagreement() throws -> String {
    let thieves = revocations.council.usurpers.sorted().map { nodes[$0].name }
    let unrevoked =
      thieves.isEmpty ? "" : "the council has not revoked \(thieves.joined(separator: ", ")); "
    return unrevoked + (try Convergence(of: self).difference())
  }

  // MARK: Expectations

  func checkKnobs() {
    guard scenario.everyFaultFires else { return }
    for knob in scenario.configuredKnobs where fired(knob) == 0 {
      report("every configured fault happens", "\(knob.rawValue) never did")
    }
  }

  func fired(_ knob: Knob) -> Int {
    record.fired(knob) + (network.tally.fired[knob] ?? 0)
  }

  func checkBytes() {
    guard let most = scenario.expectations.bytesPerSecond, bytesPerSecond > most else { return }
    report("bytes_per_second", "\(bytesPerSecond) B/s per node")
  }

  /// The average over nodes and story, fixed when the story ends.
  var bytesPerSecond: Int64 {
    let bytes = nodes.map { Int64($0.interface.bytesSentInStory) }.reduce(0, +)
    return bytes * 1000 / max(1, scenario.durationMilliseconds) / Int64(nodes.count)
  }

  // MARK: Result

  var result: RunResult {
    RunResult(
      scenario: scenario.name, seed: seed, traceHash: record.traceHash,
      simulatedSeconds: Double(now.microseconds / 1000) / 1000, nodes: nodes.count,
      acknowledgedWrites: record.acknowledgedWrites,
      convergedMilliseconds: record.convergedMilliseconds,
      bytesSent: network.bytes, datagrams: network.datagrams, violations: record.violations,
      bytesPerSecondPerNode: bytesPerSecond, knobs: knobsFired,
      reports: checkers.promptness.reports.summary, hazards: checkers.promptness.hazards.summary,
      rejections: rejections, failures: failures)
  }

  private var knobsFired: [Knob: Int] {
    var counts: [Knob: Int] = [:]
    for knob in scenario.configuredKnobs { counts[knob] = fired(knob) }
    return counts
  }

  private var rejections: [String: Int] {
    nodes.reduce(into: [:]) { $0.merge($1.counters.rejections, uniquingKeysWith: +) }
  }

  private var failures: [String: Int] {
    nodes.reduce(into: [:]) { $0.merge($1.counters.failures, uniquingKeysWith: +) }
  }
}

extension World {
  /// A short progress summary.
  public var summary: String {
    "\(nodes.filter(\.isRunning).count) of \(nodes.count) on, \(record.acknowledgedWrites) writes, "
      + "\(network.datagrams) datagrams"
      + (record.violations.isEmpty ? "" : ", \(record.violations.count) broken promises")
  }
}
