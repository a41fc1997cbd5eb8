import Foundation
import Testing

/// Proves that the thread sanitizer looks: `make sanitize` sets `MUSTER_PLANTED_RACE`, and fails
/// unless this race is reported.
@Suite("A planted race")
struct PlantedRaceTests {
  nonisolated(unsafe) private static var count = 0

  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["MUSTER_PLANTED_RACE"] != nil,
      "only for the thread sanitizer"))
  func `two threads that count without a lock`() {
    DispatchQueue.concurrentPerform(iterations: 2) { _ in
      for _ in 0..<10_000 { Self.count += 1 }
    }
    #expect(Self.count > 0)
  }
}
