import Foundation

/// Polls a condition until it holds. MUST come true within the limit, which is far more than it
/// takes, so that a busy machine changes nothing.
func eventually(
  _ what: String, within limit: Duration = .seconds(40),
  _ holds: () async throws -> Bool
) async throws {
  let deadline = ContinuousClock.now + limit
  while try await !holds() {
    if ContinuousClock.now > deadline { throw Failed("not within \(limit): \(what)") }
    try await Task.sleep(for: .milliseconds(20))
  }
}

/// Waits until all laptops show the same, and none lacks a key. Returns the hash.
@discardableResult
func inStep(
  _ laptops: Laptop..., where holds: (JSON) -> Bool = { _ in true }
) async throws -> String {
  var hash = ""
  try await eventually("\(laptops.map(\.name)) show the same") {
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
