import MusterModel
import Testing

@testable import MusterReplica

@Suite("What shows that a key is in use twice")
struct LifeWatchTests {
  private func life(_ generation: UInt32, _ number: UInt64) -> LifeMark {
    LifeMark(
      generation: generation, incarnation: Incarnation(raw: Bytes16(high: 7, low: number)))
  }

  @Test func `a device's first life has nothing to tell`() {
    var watch = LifeWatch()
    watch.begin(life(1, 1))
    #expect(watch.owes.isEmpty && watch.proof == nil)
  }

  @Test func `a backup that goes on hears of the lives after it, and none of them is proof`() {
    // Given a database of the first life, put back where a second and a third had followed it
    var watch = LifeWatch()
    watch.hear(life(2, 2))
    watch.take([life(1, 1)], by: life(2, 2))
    watch.begin(life(3, 10))
    // When what was told then comes, in which each names the one before
    watch.take([life(2, 2)], by: life(3, 3))
    watch.hear(life(3, 3))
    watch.begin(life(4, 11))
    // Then they are named, and nobody is accused.
    #expect(watch.heard == [life(2, 2), life(3, 3)])
    #expect(watch.owes == [.livesHeard] && watch.proof == nil)
  }

  @Test func `who names a life that was begun here is there too`() {
    var watch = LifeWatch()
    watch.begin(life(2, 2))
    watch.take([life(9, 9), life(2, 2)], by: life(3, 3))
    #expect(watch.proof == life(3, 3))
    #expect(watch.owes == [.livesHeard, .clone])
    // What is told is not told again, however often it is shown.
    watch.noteTold([.livesHeard, .clone])
    watch.take([life(2, 2)], by: life(3, 3))
    #expect(watch.owes.isEmpty)
    // Its own words, thrown back at it, are no proof.
    var other = LifeWatch()
    other.begin(life(2, 2))
    other.take([life(2, 2)], by: life(2, 2))
    #expect(other.proof == nil)
  }

  @Test func `a program yields a few times without proof, and once with it`() {
    var watch = LifeWatch()
    for _ in 0..<Limits.yieldsPerStart {
      #expect(watch.mayYield)
      watch.noteYield()
    }
    #expect(!watch.mayYield)

    var proven = LifeWatch()
    proven.begin(life(2, 2))
    proven.take([life(2, 2)], by: life(3, 3))
    #expect(proven.mayYield)
    proven.noteYield()
    #expect(!proven.mayYield)
  }

  @Test func `of many lives the newest are named, and no number of them fills the memory`() {
    var watch = LifeWatch()
    for number in 1...(UInt64(Limits.livesHeard) + 10) { watch.hear(life(2, number)) }
    #expect(watch.heard.count == Limits.livesNamed)
    #expect(watch.heard.last == life(2, UInt64(Limits.livesHeard)))
  }
}
