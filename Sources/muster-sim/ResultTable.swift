import MusterSimulator

/// The result of a run as text.
struct ResultTable {
  let text: String

  init(_ result: RunResult, wallSeconds: Double, processSeconds: Double) {
    let nodeSeconds = result.simulatedSeconds * Double(result.nodes)
    var rows: [(String, String)] = [
      ("scenario", "\(result.scenario), seed \(result.seed)"),
      ("simulated", "\(Self.time(result.simulatedSeconds)) of \(result.nodes) nodes"),
      (
        "took",
        "\(Self.tenths(wallSeconds)) s, \(Self.tenths(processSeconds)) s of a processor "
          + "(\(Self.grouped(Int(nodeSeconds / max(0.001, processSeconds)))) node-seconds a second)"
      ),
      ("acknowledged", "\(Self.grouped(result.acknowledgedWrites)) writes"),
      (
        "sent",
        "\(Self.grouped(result.datagrams)) datagrams, \(Self.grouped(result.bytesSent)) bytes; "
          + "\(result.bytesPerSecondPerNode) B/s per node in the story"
      ),
    ]
    if let delays = result.reports { rows.append(("reports", Self.delays(delays))) }
    if let delays = result.hazards { rows.append(("hazards", Self.delays(delays))) }
    if !result.knobs.isEmpty {
      rows.append(("faults", Self.counts(result.knobs.map { ($0.rawValue, $1) })))
    }
    if !result.rejections.isEmpty {
      rows.append(("rejected", Self.counts(result.rejections.map { ($0, $1) })))
    }
    if !result.failures.isEmpty {
      rows.append(("failures", Self.counts(result.failures.map { ($0, $1) })))
    }
    let converged = result.convergedMilliseconds.map { "after \(Self.tenths(Double($0) / 1000)) s" }
    rows.append(("agreed", converged ?? "not"))
    rows.append(("trace", result.traceHash))
    var lines = rows.map { "  " + $0.0.padded(to: 14) + $0.1 }
    if result.violations.isEmpty {
      lines.append("  every promise held")
    } else {
      lines.append("  broken promises:")
      lines += result.violations.map { "    ✗ \($0)" }
    }
    text = lines.joined(separator: "\n") + "\n"
  }

  private static func delays(_ delays: DelaySummary) -> String {
    "\(grouped(delays.count)) were everywhere after \(delays.medianMilliseconds) ms (median), "
      + "\(delays.longestMilliseconds) ms at most"
  }

  private static func counts(_ counts: [(String, Int)]) -> String {
    counts.sorted { $0.0 < $1.0 }.map { "\($0.0) \(grouped($0.1))" }.joined(separator: ", ")
  }

  static func tenths(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }

  static func time(_ seconds: Double) -> String {
    let total = Int(seconds)
    let parts = [
      (total / 86_400, "d"), (total / 3600 % 24, "h"), (total / 60 % 60, "min"), (total % 60, "s"),
    ]
    return parts.filter { $0.0 > 0 }.prefix(2).map { "\($0.0) \($0.1)" }.joined(separator: " ")
  }

  static func grouped(_ number: Int) -> String {
    var digits = Array(String(number))
    var place = digits.count - 3
    while place > 0 {
      digits.insert(",", at: place)
      place -= 3
    }
    return String(digits)
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(1, width - count))
  }
}
