import MusterModel
import MusterReplica

/// The result of a run.
extension World {
  // MARK: Convergence

  /// Returns whether all participants hold the same and, if they may read, show the same.
  func isInAgreement() throws -> Bool {
    var root: [UInt8]?
    var evidence: [EvidenceID]?
    for node in nodes where node.isRunning && !isRevoked(node) {
      guard node.replica?.mayDifferFromDisk == false, let own = node.replica?.root() else {
        return false
      }
      guard root ?? own == own else { return false }
      root = own
      let held = node.replica?.membership.evidence
      guard evidence ?? held == held else { return false }
      evidence = held
    }
    var state: StateHash?
    for node in nodes where node.isRunning && node.reads && !isRevoked(node) {
      guard try !isWaiting(node), let own = try node.replica?.stateHash()
      else { return false }
      guard state ?? own == own else { return false }
      state = own
    }
    return try isKeyEverywhere()
  }

  /// Returns whether all authorized readers have the founder's current key, which may be unused so
  /// far: checked if a node tries to prevent that.
  private func isKeyEverywhere() throws -> Bool {
    guard !overfillers.isEmpty, let epoch = try nodes[0].change({ try $0.writingEpoch })??.id
    else { return true }
    for node in nodes where isPromisedOthersWork(node) && node.reads {
      guard try node.store.epochKeys().contains(where: { $0.id == epoch }) else { return false }
    }
    return true
  }

  /// Returns whether frames wait for data that can arrive; the key of a made-up epoch cannot.
  private func isWaiting(_ node: SimulatedNode) throws -> Bool {
    guard try node.store.counts().waiting > 0 else { return false }
    let filling = Set(overfillers.map { nodes[$0].credentials.certificate })
    guard !filling.isEmpty else { return true }
    return try node.store.waiting(limit: .max).contains {
      !filling.contains($0.opening.certificate)
    }
  }

  /// Returns the largest differences in one line.
  func disagreement() throws -> String {
    var groups: [[UInt8]: [String]] = [:]
    for node in nodes {
      groups[node.replica?.root() ?? [], default: []].append(node.name)
    }
    let described = groups.values.sorted { ($1.count, $0[0]) < ($0.count, $1[0]) }.map { names in
      names.count > 4 ? "\(names.count) nodes" : names.joined(separator: ", ")
    }
    let waiting = try nodes.filter { $0.isRunning && $0.reads }.compactMap { node in
      let frames = try node.store.counts().waiting
      return frames > 0
        ? "\(node.name) cannot read \(frames) frames yet (\(try authorsWaitedFor(by: node)))" : nil
    }
    return described.count == 1
      ? (["all hold the same and show something else"] + waiting).joined(separator: ", ")
      : "\(described.count) different holdings: \(described.joined(separator: " | "))"
  }

  private func authorsWaitedFor(by node: SimulatedNode) throws -> String {
    let names = try node.store.waiting(limit: .max).map { frame in
      nodes.first { $0.credentials.certificate == frame.opening.certificate }?.name ?? "root"
    }
    return Dictionary(grouping: names) { $0 }.sorted { $0.key < $1.key }
      .map { "\($0.value.count) of \($0.key)" }.joined(separator: ", ")
  }

  // MARK: Expectations

  func checkKnobs() {
    guard scenario.everyFaultFires else { return }
    for knob in scenario.configuredKnobs where fired(knob) == 0 {
      report("every configured fault happens", "\(knob.rawValue) never did")
    }
  }

  func fired(_ knob: Knob) -> Int {
    (tally.fired[knob] ?? 0) + (network.tally.fired[knob] ?? 0)
  }

  func checkBytes() {
    guard let most = scenario.expectations.bytesPerSecond, bytesPerSecond > most else { return }
    report("bytes_per_second", "\(bytesPerSecond) B/s per node")
  }

  /// The average over nodes and story, fixed when the story ends.
  var bytesPerSecond: Int64 {
    let bytes = nodes.map { Int64($0.bytesSentInStory) }.reduce(0, +)
    return bytes * 1000 / max(1, scenario.durationMilliseconds) / Int64(nodes.count)
  }

  // MARK: Result

  var result: RunResult {
    RunResult(
      scenario: scenario.name, seed: seed, traceHash: trace.hexadecimal,
      simulatedSeconds: Double(now.microseconds / 1000) / 1000, nodes: nodes.count,
      acknowledgedWrites: acknowledgedWrites, convergedMilliseconds: convergedMilliseconds,
      bytesSent: network.bytes, datagrams: network.datagrams, violations: violations,
      bytesPerSecondPerNode: bytesPerSecond, knobs: knobsFired,
      reports: promptness.reports.summary, hazards: promptness.hazards.summary,
      rejections: rejections, failures: failures)
  }

  private var knobsFired: [Knob: Int] {
    var counts: [Knob: Int] = [:]
    for knob in scenario.configuredKnobs { counts[knob] = fired(knob) }
    return counts
  }

  private var rejections: [String: Int] {
    nodes.reduce(into: [:]) { $0.merge($1.rejections, uniquingKeysWith: +) }
  }

  private var failures: [String: Int] {
    nodes.reduce(into: [:]) { $0.merge($1.failures, uniquingKeysWith: +) }
  }
}

extension World {
  /// A short progress summary.
  public var summary: String {
    "\(nodes.filter(\.isRunning).count) of \(nodes.count) on, \(acknowledgedWrites) writes, "
      + "\(network.datagrams) datagrams"
      + (violations.isEmpty ? "" : ", \(violations.count) broken promises")
  }
}
