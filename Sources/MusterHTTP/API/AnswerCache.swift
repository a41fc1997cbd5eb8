internal import MusterModel
internal import Synchronization

/// Caches an expensive value until one of its data sets changes, and for a short time at most,
/// since ages and peers change without being counted. Concurrent readers wait for the same
/// computation.
///
/// A reader that knows of a write never receives a value computed before it.
final class AnswerCache<Value: Sendable>: Sendable {
  private struct Kept {
    let value: Value
    let counts: [UInt64]
    let ends: ContinuousClock.Instant
  }

  private struct State {
    var kept: Kept?
    var isMaking = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private enum Step {
    case ready(Value)
    case make
    case wait
  }

  private static var shortest: Duration { .milliseconds(250) }
  private static var longest: Duration { .seconds(5) }
  /// Computation takes at most this fraction of a node's time.
  private static var thrift: Int { 10 }

  private let datasets: [Dataset]
  private let counts: @Sendable () -> ChangeCounts
  private let state = Mutex(State())

  init(of datasets: [Dataset], counts: @Sendable @escaping () -> ChangeCounts) {
    self.datasets = datasets
    self.counts = counts
  }

  func value(_ make: @Sendable () async throws -> Value) async throws -> Value {
    let wanted = relevantCounts
    while true {
      let step = state.withLock { state -> Step in
        if let kept = state.kept, kept.ends > .now,
          zip(kept.counts, wanted).allSatisfy({ $0 >= $1 })
        {
          return .ready(kept.value)
        }
        if state.isMaking { return .wait }
        state.isMaking = true
        return .make
      }
      switch step {
      case .ready(let value): return value
      case .make: return try await keep(make)
      case .wait: await untilMade()
      }
    }
  }

  private var relevantCounts: [UInt64] {
    let counts = counts()
    return datasets.map { counts[$0] }
  }

  private func keep(_ make: @Sendable () async throws -> Value) async throws -> Value {
    let (counts, start) = (relevantCounts, ContinuousClock.now)
    do {
      let value = try await make()
      let taken = ContinuousClock.now - start
      let rest = min(max(Self.shortest, taken * Self.thrift), Self.longest)
      finish(Kept(value: value, counts: counts, ends: .now + rest))
      return value
    } catch {
      finish(nil)
      throw error
    }
  }

  private func finish(_ kept: Kept?) {
    let waiting = state.withLock { state in
      state.kept = kept
      state.isMaking = false
      defer { state.waiting = [] }
      return state.waiting
    }
    for waiter in waiting { waiter.resume() }
  }

  private func untilMade() async {
    await withCheckedContinuation { waiter in
      let isMaking = state.withLock { state in
        if state.isMaking { state.waiting.append(waiter) }
        return state.isMaking
      }
      if !isMaking { waiter.resume() }
    }
  }
}
