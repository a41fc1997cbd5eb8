import MusterModel
import Testing

@testable import MusterReplica

@Suite("The proof of a live clone")
struct CloneDetectorTests {
  private func life(_ generation: UInt32, _ number: UInt64) -> IncarnationName {
    IncarnationName(
      generation: generation, incarnation: Incarnation(raw: Bytes16(high: 7, low: number)))
  }

  @Test func `a device's first incarnation has nothing to publish`() {
    var watch = CloneDetector()
    watch.begin(life(1, 1))
    #expect(watch.owes.isEmpty && watch.proof == nil)
  }

  @Test func `a restored backup learns of later incarnations, and none of them is proof`() {
    // Given a database of the first incarnation, restored after a second and a third
    var watch = CloneDetector()
    watch.hear(life(2, 2))
    watch.take([life(1, 1)], by: life(2, 2))
    watch.begin(life(3, 10))
    // When the records of that time arrive, in which each names the previous one
    watch.take([life(2, 2)], by: life(3, 3))
    watch.hear(life(3, 3))
    watch.begin(life(4, 11))
    // Then they are named, and no clone is reported.
    #expect(watch.heard == [life(2, 2), life(3, 3)])
    #expect(watch.owes == [.livesHeard] && watch.proof == nil)
  }

  @Test func `a device that names an incarnation begun here is live too`() {
    var watch = CloneDetector()
    watch.begin(life(2, 2))
    watch.take([life(9, 9), life(2, 2)], by: life(3, 3))
    #expect(watch.proof == life(3, 3))
    #expect(watch.owes == [.livesHeard, .clone])
    // What was published is not published again, however often it arrives.
    watch.notePublished([.livesHeard, .clone])
    watch.take([life(2, 2)], by: life(3, 3))
    #expect(watch.owes.isEmpty)
    // Its own records, replayed, are no proof.
    var other = CloneDetector()
    other.begin(life(2, 2))
    other.take([life(2, 2)], by: life(2, 2))
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
    proven.begin(life(2, 2))
    proven.take([life(2, 2)], by: life(3, 3))
    #expect(proven.mayYield)
    proven.noteYield()
    #expect(!proven.mayYield)
  }

  @Test func `of many incarnations the newest are named, and the memory is bounded`() {
    var watch = CloneDetector()
    for number in 1...(UInt64(Limits.livesHeard) + 10) { watch.hear(life(2, number)) }
    #expect(watch.heard.count == Limits.livesNamed)
    #expect(watch.heard.last == life(2, UInt64(Limits.livesHeard)))
  }
}
