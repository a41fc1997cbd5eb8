import Foundation
import MusterSimulator

extension RunResult {
  /// One JSON object and a line feed.
  func json(wallSeconds: Double) -> String {
    var object: [String: Any] = [
      "scenario": scenario, "seed": seed, "traceHash": traceHash,
      "simulatedSeconds": simulatedSeconds, "wallSeconds": (wallSeconds * 1000).rounded() / 1000,
      "nodes": nodes, "acknowledgedWrites": acknowledgedWrites,
      "convergedSeconds": convergedMilliseconds.map { Double($0) / 1000 } as Any? ?? NSNull(),
      "bytesSent": bytesSent, "datagrams": datagrams,
      "violations": violations.map(\.description),
      "bytesPerSecondPerNode": bytesPerSecondPerNode,
      "faults": Dictionary(uniqueKeysWithValues: knobs.map { ($0.rawValue, $1) }),
      "rejected": rejections, "failures": failures,
    ]
    if let reports { object["reportDelayMilliseconds"] = Self.delays(reports) }
    if let hazards { object["hazardDelayMilliseconds"] = Self.delays(hazards) }
    do {
      let data = try JSONSerialization.data(
        withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
      return String(decoding: data, as: UTF8.self) + "\n"
    } catch {
      preconditionFailure("numbers and texts cannot be written as JSON: \(error)")
    }
  }

  private static func delays(_ delays: DelaySummary) -> [String: Any] {
    [
      "count": delays.count, "median": delays.medianMilliseconds,
      "longest": delays.longestMilliseconds,
    ]
  }
}
