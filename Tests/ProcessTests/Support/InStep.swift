import Foundation
import MusterTestKit

/// Waits until all laptops have converged, and none lacks a key. Returns the state hash.
@discardableResult
func inStep(
  _ laptops: Laptop..., where holds: (JSON) -> Bool = { _ in true }
) async throws -> String {
  var hash = ""
  try await eventually("\(laptops.map(\.name)) have converged") {
    var hashes: Set<String> = []
    for laptop in laptops {
      let status = try await laptop.ask("status")
      guard status["stateIsIncomplete"] == .bool(false), holds(status) else { return false }
      hash = status["stateHash"].text ?? ""
      hashes.insert(hash)
    }
    return hashes.count == 1
  }
  return hash
}
