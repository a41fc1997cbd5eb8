import MusterModel
import Testing

@testable import MusterReplica

@Suite("The proof of a live clone")
struct CloneDetectorTests {
  private func incarnationName(_ generation: UInt32, _ number: UInt64) -> IncarnationName {
    IncarnationName(
      generation: generation, incarnation: Incarnation(raw: Bytes16(high: 7, low: number)))
  }

  @Test func `a device's first incarnation has nothing to publish`() {
    var watch = CloneDetector()
    watch.begin(incarnationName(1, 1))
    #expect(watch.owes.isEmpty && watch.proof == nil)
  }

  @Test func `a restored backup learns of later incarnations, and none of them is proof`() {
    // Given a database of the first incarnation, restored after a second and a third
    var watch = CloneDetector()
    watch.observe(incarnationName(2, 2))
    watch.take([incarnationName(1, 1)], by: incarnationName(2, 2))
    watch.begin(incarnationName(3, 10))
    // When the records of that time arrive, in which each names the previous one
    watch.take([incarnationName(2, 2)], by: incarnationName(3, 3))
    watch.observe(incarnationName(3, 3))
    watch.begin(incarnationName(4, 11))
    // Then they are named, and no clone is reported.
    #expect(watch.received == [incarnationName(2, 2), incarnationName(3, 3)])
    #expect(watch.owes == [.otherIncarnations] && watch.proof == nil)
  }

  @Test func `a device that names an incarnation begun here is live too`() {
    var watch = CloneDetector()
    watch.begin(incarnationName(2, 2))
    watch.take([incarnationName(9, 9), incarnationName(2, 2)], by: incarnationName(3, 3))
    #expect(watch.proof == incarnationName(3, 3))
    #expect(watch.owes == [.otherIncarnations, .clone])
    // What was published is not published again, however often it arrives.
    watch.notePublished([.otherIncarnations, .clone])
    watch.take([incarnationName(2, 2)], by: incarnationName(3, 3))
    #expect(watch.owes.isEmpty)
    // Its own records, replayed, are no proof.
    var other = CloneDetector()
    other.begin(incarnationName(2, 2))
    other.take([incarnationName(2, 2)], by: incarnationName(2, 2))
    #expect(other.proof == nil)
  }

  @Test func `a program yields a few times without proof, and once with it`() {
    var watch = CloneDetector()
    for _ in 0..<Limits.yieldsPerStart {
      #expect(watch.mayYield)
      watch.noteYield()
    }
    #expect(!watch.mayYield)

    var proven = CloneDetector()
    proven.begin(incarnationName(2, 2))
    proven.take([incarnationName(2, 2)], by: incarnationName(3, 3))
    #expect(proven.mayYield)
    proven.noteYield()
    #expect(!proven.mayYield)
  }

  @Test func `of many incarnations the newest are named, and the memory is bounded`() {
    var watch = CloneDetector()
    for number in 1...(UInt64(Limits.otherIncarnations) + 10) {
      watch.observe(incarnationName(2, number))
    }
    #expect(watch.received.count == Limits.namedIncarnations)
    #expect(watch.received.last == incarnationName(2, UInt64(Limits.otherIncarnations)))
  }
}
