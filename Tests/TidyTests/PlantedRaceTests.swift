import Foundation
import Synchronization
import Testing

/// Proves that the thread sanitizer works: `make sanitize` sets `MUSTER_PLANTED_RACE`, and fails
/// unless this race is reported and the locked counter is not.
@Suite("A planted race")
struct PlantedRaceTests {
  nonisolated(unsafe) private static var count = 0

  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["MUSTER_PLANTED_RACE"] != nil,
      "only for the thread sanitizer"))
  func `two threads that count without a lock`() {
    // Separate threads, because on a busy machine a queue's pool may use only one. Concurrent
    // threads, because the sanitizer forgets the accesses of an ended thread.
    let (begin, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    for _ in 0..<2 {
      Thread {
        begin.wait()
        for _ in 0..<1_000_000 { Self.countOn() }
        done.signal()
      }.start()
    }
    for _ in 0..<2 { begin.signal() }
    for _ in 0..<2 { done.wait() }
    #expect(Self.count > 0)
  }

  /// A separate function, or the optimiser merges all additions.
  @inline(never)
  private static func countOn() { count += 1 }

  @Test
  func `four threads that count under a lock and wait for each other`() {
    let counted = Counted()
    let done = DispatchSemaphore(value: 0)
    for _ in 0..<4 {
      Thread {
        for _ in 0..<10_000 { counted.numbers.withLock { $0.append($0.count) } }
        done.signal()
      }.start()
    }
    for _ in 0..<4 { done.wait() }
    #expect(counted.numbers.withLock { $0 } == Array(0..<40_000))
  }

  private final class Counted: Sendable {
    let numbers = Mutex<[Int]>([])
  }
}
