internal import MusterNode

/// Waits for a home that is in use. A command holds the lock for a moment, a node until it listens
/// and while it stops, so an immediate failure would name a process that ends soon.
enum LockWait {
  private static let most = Duration.seconds(5)
  private static let pause = Duration.milliseconds(50)

  /// Retries until the home is free or the wait times out.
  ///
  /// - Parameter isHopeless: called after each failure; true ends the wait.
  static func whileInUse<Result>(
    unless isHopeless: () async throws -> Bool = { false },
    _ attempt: () async throws -> sending Result
  ) async throws -> sending Result {
    let deadline = ContinuousClock.now + most
    while true {
      do {
        return try await attempt()
      } catch let error as HomeError {
        guard case .inUse = error, ContinuousClock.now < deadline, try await !isHopeless() else {
          throw error
        }
        try await Task.sleep(for: pause)
      }
    }
  }
}
