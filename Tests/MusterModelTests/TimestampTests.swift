import Testing

@testable import MusterModel

struct TimestampTests {
  private static let year1: Int64 = -62_135_596_800_000
  private static let year10000: Int64 = 253_402_300_800_000

  @Test("every time of the years 0001 to 9999 is read back as it was written")
  func roundTrip() {
    // given steps of a prime number of milliseconds, so that no field repeats in step
    for milliseconds in stride(from: Self.year1, to: Self.year10000, by: 7_919_999_983) {
      let moment = Timestamp(milliseconds: milliseconds)
      #expect(Timestamp(rfc3339: moment.description) == moment, "\(moment)")
    }
  }

  @Test("the calendar agrees with a day-by-day count, over 400 years and at both ends")
  func calendar() throws {
    for (year, years) in [(1, 5), (1800, 400), (9996, 4)] as [(Int64, Int64)] {
      var day = CivilDate(year: year, month: 1, day: 1).dayNumber
      for year in year..<year + years {
        for month in Int64(1)...12 {
          for dayOfMonth in 1...CivilDate.days(in: month, of: year) {
            let date = CivilDate(year: year, month: month, day: dayOfMonth)
            try #require(date.dayNumber == day)
            try #require(CivilDate(dayNumber: day) == date)
            day += 1
          }
        }
      }
    }
    #expect(CivilDate(year: 1970, month: 1, day: 1).dayNumber == 0)
  }

  /// Seconds computed by another implementation (GNU `date`).
  private static let known: [(text: String, milliseconds: Int64)] = [
    ("1970-01-01T00:00:00Z", 0),
    ("1969-12-31T23:59:59.999Z", -1),
    ("0001-01-01T00:00:00Z", year1),
    ("2000-02-29T12:00:00Z", 951_825_600_000),
    ("2024-02-29T23:59:59.5Z", 1_709_251_199_500),
    ("2010-08-05T14:23:59Z", 1_281_018_239_000),
    ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
  ]

  @Test("known times are read and written")
  func knownMoments() {
    for (text, milliseconds) in Self.known {
      #expect(Timestamp(rfc3339: text)?.milliseconds == milliseconds, "\(text)")
      let written = Timestamp(milliseconds: milliseconds).description
      #expect(Timestamp(rfc3339: written)?.milliseconds == milliseconds, "\(written)")
    }
    #expect(Timestamp(milliseconds: 1_281_018_239_000).description == "2010-08-05T14:23:59Z")
    #expect(Timestamp(milliseconds: -1).description == "1969-12-31T23:59:59.999Z")
    #expect(Timestamp(milliseconds: 7).description == "1970-01-01T00:00:00.007Z")
  }

  @Test(
    "one time has many text forms",
    arguments: [
      "2010-08-05T14:23:59.500Z", "2010-08-05t14:23:59.5z", "2010-08-05 14:23:59.5",
      "2010-08-05T16:23:59.5+02:00", "2010-08-05T09:53:59.5-04:30", "2010-08-05T14:23:59.5-00:00",
      "2010-08-06T14:22:59.5+23:59", "2010-08-05T14:23:59.50099999999999999999999Z",
    ])
  func spellings(_ text: String) {
    #expect(Timestamp(rfc3339: text) == Timestamp(milliseconds: 1_281_018_239_500))
  }

  @Test("a leap second is the second after it")
  func leapSecond() {
    #expect(
      Timestamp(rfc3339: "2016-12-31T23:59:60Z") == Timestamp(rfc3339: "2017-01-01T00:00:00Z"))
  }

  @Test(
    "malformed text is not a time",
    arguments: [
      "", "2010", "2010-08-05", "2010-08-05T", "2010-08-05T14:23Z", "10-08-05T14:23:59Z",
      "2010-8-05T14:23:59Z", "2010-00-05T14:23:59Z", "2010-13-05T14:23:59Z",
      "2010-08-00T14:23:59Z", "2010-08-32T14:23:59Z", "2010-04-31T14:23:59Z",
      "2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2010-08-05T24:00:00Z",
      "2010-08-05T14:60:59Z", "2010-08-05T14:23:61Z", "2010-08-05T14:23:59.Z",
      "2010-08-05T14:23:59,5Z", "2010-08-05T14:23:59+2:00", "2010-08-05T14:23:59+0200",
      "2010-08-05T14:23:59+24:00", "2010-08-05T14:23:59+02:60", "2010-08-05T14:23:59ZZ",
      "2010-08-05T14:23:59Z ", " 2010-08-05T14:23:59Z", "2010-08-05X14:23:59Z",
      "+010-08-05T14:23:59Z", "2010-08-05T14:23:59\u{2212}02:00", "２010-08-05T14:23:59Z",
      "12010-08-05T14:23:59Z",
    ])
  func malformed(_ text: String) {
    #expect(Timestamp(rfc3339: text) == nil)
  }

  @Test("no prefix of a time with an offset traps the parser")
  func prefixes() {
    let text = "2010-08-05T16:23:59.123+02:00"
    let readable = (0...text.count).filter { Timestamp(rfc3339: text.prefix($0)) != nil }
    // then only whole seconds, with or without a fraction, and the whole text are accepted
    #expect(readable == [19, 21, 22, 23, 29])
  }

  @Test("a time outside RFC 3339 is written as the nearest inside")
  func unwritable() {
    #expect(Timestamp(milliseconds: .max).description == "9999-12-31T23:59:59.999Z")
    #expect(Timestamp(milliseconds: .min).description == "0000-01-01T00:00:00Z")
  }

  @Test("differences and sums are clamped to the range")
  func saturation() {
    let (first, last) = (Timestamp(milliseconds: .min), Timestamp(milliseconds: .max))
    #expect(last.milliseconds(since: first) == .max)
    #expect(first.milliseconds(since: last) == .min)
    #expect(Timestamp(milliseconds: 5).milliseconds(since: Timestamp(milliseconds: 7)) == -2)
  }
}

struct InstantTests {
  @Test("milliseconds are added and counted")
  func arithmetic() {
    let start = Instant(microseconds: 1_500)
    #expect(start.advanced(byMilliseconds: 2) == Instant(microseconds: 3_500))
    #expect(start.advanced(byMilliseconds: -2) == Instant(microseconds: -500))
    #expect(start.advanced(byMilliseconds: 2).milliseconds(since: start) == 2)
    #expect(start.milliseconds(since: start.advanced(byMilliseconds: 2)) == -2)
  }

  @Test("a deadline beyond the range is clamped to its end")
  func saturation() {
    let (first, last) = (Instant(microseconds: .min), Instant(microseconds: .max))
    #expect(Instant(microseconds: 0).advanced(byMilliseconds: .max) == last)
    #expect(last.advanced(byMilliseconds: 1) == last)
    #expect(Instant(microseconds: 0).advanced(byMilliseconds: .min) == first)
    #expect(first.advanced(byMilliseconds: -1) == first)
    #expect(last.milliseconds(since: Instant(microseconds: -1)) > 0)
    #expect(first.milliseconds(since: Instant(microseconds: 1)) < 0)
  }
}
