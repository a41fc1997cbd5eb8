import Foundation

/// Polls a condition until it holds; returns how long that took. MUST come true within the limit,
/// which is several times what it takes on an idle machine.
@discardableResult
func eventually(
  _ what: String, within limit: Duration = .seconds(40),
  _ holds: () async throws -> Bool
) async throws -> Duration {
  let start = ContinuousClock.now
  while try await !holds() {
    if ContinuousClock.now > start + limit { throw Failed("not within \(limit): \(what)") }
    try await Task.sleep(for: .milliseconds(20))
  }
  return ContinuousClock.now - start
}

/// Waits until all laptops show the same, and none lacks a key.
@discardableResult
func inStep(
  _ laptops: Laptop..., within limit: Duration = .seconds(40),
  where holds: (JSON) -> Bool = { _ in true }
) async throws -> Duration {
  try await eventually("\(laptops.map(\.name)) show the same", within: limit) {
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
