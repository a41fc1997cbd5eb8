import Foundation
import MusterTestKit

/// Waits until all laptops have converged, and none lacks a key.
@discardableResult
func inStep(
  _ laptops: Laptop..., within limit: Duration = .seconds(40),
  where holds: (JSON) -> Bool = { _ in true }
) async throws -> Duration {
  try await eventually("\(laptops.map(\.name)) have converged", within: limit) {
    var hashes: Set<String> = []
    for laptop in laptops {
      let status = try await laptop.ask("status")
      guard status["stateIsIncomplete"] == .bool(false), holds(status) else { return false }
      hashes.insert(status["stateHash"].text ?? "")
    }
    return hashes.count == 1
  }
}

extension Duration {
  var wholeMilliseconds: Int { Int(self / .milliseconds(1)) }
}
