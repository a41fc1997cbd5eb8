/// Polls a condition until it holds; returns how long that took. MUST come true within the limit,
/// which is far more than it takes on an idle machine, so that a busy one changes nothing.
@discardableResult
package func eventually(
  _ what: String, within limit: Duration = .seconds(40), _ holds: () async throws -> Bool
) async throws -> Duration {
  let start = ContinuousClock.now
  while try await !holds() {
    if ContinuousClock.now > start + limit { throw Failed("not within \(limit): \(what)") }
    try await Task.sleep(for: .milliseconds(20))
  }
  return ContinuousClock.now - start
}
