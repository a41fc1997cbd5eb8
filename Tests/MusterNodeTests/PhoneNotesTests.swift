import MusterLocation
import MusterModel
import Testing

@testable import MusterNode

/// What command sees of a phone that reports late, rarely, or with other alarms.
struct PhoneNotesTests {
  private static let kim = TrackerName("Kim")
  private let place = Coordinate(latitude: 46, longitude: 7)

  private func instant(_ seconds: Int64) -> Instant { Instant(microseconds: seconds * 1_000_000) }

  private func record(
    _ notes: inout PhoneNotes, at second: Int64, age minutes: Int64? = nil, alarm: String = ""
  ) throws {
    let report = try PhoneMessages.form("id=Kim&lat=46&lon=7&alarm=\(alarm)")
    notes.record(
      report, of: Self.kim, age: minutes.map { .atLeast(milliseconds: $0 * 60_000) },
      now: instant(second))
  }

  private func summary(_ notes: PhoneNotes, at second: Int64) -> PhoneSummary? {
    notes.summary(of: Self.kim, silence: 600_000, behind: 0, now: instant(second))
  }

  @Test func `three late fixes in a row are named, those of one upload are not`() throws {
    var notes = PhoneNotes()
    for second in 0..<50 { try record(&notes, at: Int64(second) / 10, age: 200 - Int64(second)) }
    #expect(summary(notes, at: 5) == nil)
    try record(&notes, at: 60, age: 180)
    try record(&notes, at: 120, age: 182)
    #expect(summary(notes, at: 120)?.lateBySeconds == 9060)
    // One fix that is not late shows that the others were stored.
    try record(&notes, at: 180, age: 0)
    #expect(summary(notes, at: 180) == nil)
  }

  @Test func `a phone that reports less often than its silence setting is named`() throws {
    var notes = PhoneNotes()
    for number in 0..<4 { try record(&notes, at: Int64(number) * 900) }
    #expect(summary(notes, at: 2700)?.reportsEverySeconds == 900)
    try record(&notes, at: 2760)
    #expect(summary(notes, at: 2760) == nil)
  }

  @Test func `another alarm is shown for an hour, whatever the phone sends after it`() throws {
    var notes = PhoneNotes()
    try record(&notes, at: 0, alarm: "lowBattery")
    try record(&notes, at: 60)
    #expect(summary(notes, at: 60)?.alarm == "lowBattery")
    #expect(summary(notes, at: 60)?.alarmAgeSeconds == 60)
    #expect(summary(notes, at: 3600) == nil)
  }
}
