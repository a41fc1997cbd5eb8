/// Limits how many tests hold a costly resource at once. Swift Testing starts all tests together, so
/// that without a limit a hundred nodes would keep their files open until the last test has begun,
/// more than a process may by default.
package actor ConcurrencyLimit {
  /// Of nodes with their databases, in the process of the tests.
  package static let nodes = ConcurrencyLimit(8)

  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  package init(_ count: Int) { free = count }

  /// Does the work when fewer than the limit are at work.
  package nonisolated func run<Result: Sendable>(
    _ work: @Sendable () async throws -> Result
  ) async throws -> Result {
    await enter()
    do {
      let result = try await work()
      await leave()
      return result
    } catch {
      await leave()
      throw error
    }
  }

  private func enter() async {
    guard free == 0 else {
      free -= 1
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  private func leave() {
    guard waiting.isEmpty else { return waiting.removeFirst().resume() }
    free += 1
  }
}
