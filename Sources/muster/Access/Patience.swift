internal import MusterNode

/// Waits for a home that is in use. A command has it for a moment, a node until it listens and once
/// more while it stops: to refuse at once would send people after a process that is gone by then.
enum Patience {
  private static let most = Duration.seconds(5)
  private static let pause = Duration.milliseconds(50)

  /// Tries until the home is free, or the time is up.
  ///
  /// - Parameter isHopeless: asked after each failure; ends the waiting.
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
