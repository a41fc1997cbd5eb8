import MusterModel
import Testing

@testable import MusterGeo

struct LocationFilterTests {
  private let start: Int64 = 1_795_300_000

  /// A filter that has published a fix at the start.
  private func filter(
    accuracy: UInt32? = 100, _ change: (inout LocationProfile) -> Void = { _ in }
  ) -> LocationFilter {
    var profile = LocationProfile.foreground
    change(&profile)
    var filter = LocationFilter(profile: profile, silenceMilliseconds: 600_000)
    #expect(filter.take(fix(0, accuracy: accuracy), stepsBack: false, now: at(0)) == .published)
    return filter
  }

  private func at(_ seconds: Int64) -> Instant { Instant(microseconds: seconds * 1_000_000) }

  private func fix(_ seconds: Int64, metres: Double = 0, accuracy: UInt32? = 100) -> Fix {
    Fix(
      position: Coordinate(latitude: 46 + metres / 111_150, longitude: 14)!,
      accuracyDecimetres: accuracy, sampleTime: Timestamp(milliseconds: (start + seconds) * 1000))
  }

  private func take(
    _ filter: inout LocationFilter, _ seconds: Int64, metres: Double = 0, accuracy: UInt32? = 100
  ) -> LocationFilter.Handling {
    filter.take(
      fix(seconds, metres: metres, accuracy: accuracy), stepsBack: false, now: at(seconds))
  }

  // MARK: What is accepted

  @Test func `a fix that brings nothing new is only watched`() {
    var filter = filter()
    #expect(take(&filter, 6, metres: 10) == .watched)
    #expect(take(&filter, 29, metres: 29) == .watched)
  }

  @Test func `half a minute is reason enough`() {
    var filter = filter()
    #expect(take(&filter, 30) == .published)
  }

  @Test func `accuracy that became good is reason enough, and better than good is not`() {
    var bad = filter(accuracy: 3000)
    #expect(take(&bad, 6, accuracy: 1400) == .kept)
    var unknown = filter(accuracy: nil)
    #expect(take(&unknown, 6, accuracy: 5000) == .kept)
    var good = filter(accuracy: 100)
    #expect(take(&good, 6, accuracy: 10) == .watched)
  }

  @Test func `a very distant fix is published at once, however inaccurate and however soon`() {
    var filter = filter()
    #expect(take(&filter, 1, metres: 101, accuracy: 900) == .published)
  }

  @Test func `a significant distance counts where accuracy is not worse`() {
    var same = filter(accuracy: 600)
    #expect(take(&same, 6, metres: 40, accuracy: 600) == .kept)
    var worse = filter(accuracy: 600)
    #expect(take(&worse, 6, metres: 40, accuracy: 700) == .watched)
    var unknown = filter(accuracy: 600)
    #expect(take(&unknown, 6, metres: 40, accuracy: nil) == .watched)
    var bothGood = filter(accuracy: 50)
    #expect(take(&bothGood, 6, metres: 40, accuracy: 100) == .kept)
  }

  @Test func `readings closer than the profile wants are not read`() {
    var filter = filter { $0.readingSeconds = 15 }
    #expect(take(&filter, 14, metres: 40) == .watched)
    #expect(take(&filter, 15, metres: 41) == .kept)
  }

  // MARK: What is published when

  @Test func `what is accepted is published when its time has come, the newest of it`() {
    var filter = filter()
    #expect(take(&filter, 6, metres: 35) == .kept)
    #expect(take(&filter, 12, metres: 70) == .kept)
    #expect(filter.nextDeadline == at(20))
    #expect(filter.passDeadline(now: at(19)) == nil)
    #expect(filter.passDeadline(now: at(20)) == fix(12, metres: 70))
    #expect(filter.nextDeadline == nil)
    #expect(take(&filter, 39, metres: 105) == .kept)
    #expect(take(&filter, 45, metres: 140) == .published)
    #expect(filter.passDeadline(now: at(90)) == nil)
  }

  // MARK: Modes

  @Test func `who stays still is looked at coarsely until out of the region`() {
    var filter = filter()
    for second in stride(from: Int64(5), to: 120, by: 5) {
      _ = take(&filter, second, metres: Double(second % 20))
      #expect(filter.mode == .precise)
    }
    _ = take(&filter, 120)
    #expect(filter.mode == .coarse)
    for second in stride(from: Int64(125), to: 390, by: 5) {
      #expect(take(&filter, second, metres: Double(second % 99)) == .watched)
    }
    #expect(take(&filter, 390) == .published)
    #expect(filter.mode == .coarse)
    #expect(take(&filter, 460, metres: 105, accuracy: 60) == .watched)
    #expect(take(&filter, 465, metres: 120, accuracy: 60) == .published)
    #expect(filter.mode == .precise)
  }

  @Test func `signs of life come well before anybody calls it silence`() {
    var filter = LocationFilter(profile: .foreground, silenceMilliseconds: 120_000)
    filter.profile.mode = .coarse
    var published: [Int64] = []
    for second in Int64(0)..<200 where take(&filter, second) == .published {
      published.append(second)
    }
    #expect(published == [0, 60, 120, 180])
  }

  @Test func `a locate wakes precise mode, and publishes the next fix at once`() {
    var filter = filter { $0.mode = .coarse }
    #expect(filter.mode == .coarse)
    #expect(take(&filter, 10) == .watched)
    filter.locate(now: at(11))
    #expect(filter.mode == .precise)
    #expect(take(&filter, 12) == .published)
    #expect(take(&filter, 13) == .watched)
    #expect(take(&filter, 50, metres: 35) == .published)
    _ = take(&filter, 140)
    #expect(filter.mode == .coarse)
  }

  @Test func `a profile may want it precise for ever`() {
    var filter = filter { $0.mode = .precise }
    for second in stride(from: Int64(5), to: 1000, by: 5) { _ = take(&filter, second) }
    #expect(filter.mode == .precise)
  }

  @Test func `a clock that was set back does not silence the filter`() {
    var filter = filter()
    let back = fix(-80_000)
    #expect(filter.take(back, stepsBack: true, now: at(30)) == .published)
    let next = filter.take(fix(-79_960), stepsBack: false, now: at(70))
    #expect(next == .published)
  }
}
