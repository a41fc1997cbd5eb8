/// Polls a condition until it holds; returns the elapsed time. The condition MUST hold within the
/// limit, which is far more than an idle machine needs, so that load has no effect.
@discardableResult
package func eventually(
  _ what: String, within limit: Duration = .seconds(120), _ holds: () async throws -> Bool
) async throws -> Duration {
  let start = ContinuousClock.now
  while try await !holds() {
    if ContinuousClock.now > start + limit { throw Failed("not within \(limit): \(what)") }
    try await Task.sleep(for: .milliseconds(20))
  }
  return ContinuousClock.now - start
}
