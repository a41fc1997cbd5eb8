internal import Synchronization

/// What the live screen has to do next: collected from keys, signals and changes of the node, so
/// that a burst of them costs one drawing.
final class WatchQueue: Sendable {
  struct Work {
    var keys: [WatchKey] = []
    /// Whether the node is asked again.
    var isStale = false
    var quits = false
  }

  /// Held-down keys beyond it change nothing that a user could follow.
  private static let mostKeys = 256

  private let work = Mutex(Work())
  private let wakeUp: AsyncStream<Void>.Continuation
  /// One element stands for all work since the last; nothing is lost with the others.
  let wakeUps: AsyncStream<Void>

  init() {
    (wakeUps, wakeUp) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Draws again, from new data.
  func refresh() { add { $0.isStale = true } }

  func quit() { add { $0.quits = true } }

  func press(_ keys: [WatchKey]) {
    add { work in
      if keys.contains(.quit) { work.quits = true }
      work.keys = (work.keys + keys).suffix(Self.mostKeys)
    }
  }

  /// Returns the work, and begins with none.
  func take() -> Work {
    work.withLock { work in
      defer { work = Work() }
      return work
    }
  }

  private func add(_ change: (inout Work) -> Void) {
    work.withLock { change(&$0) }
    wakeUp.yield()
  }
}
