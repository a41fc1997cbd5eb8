internal import ArgumentParser
internal import Foundation
internal import MusterModel

/// A duration: `90s`, `15m`, `24h`, `7d`.
struct DurationArgument: Hashable {
  let seconds: Int64

  /// Ten years.
  private static let most: Int64 = 3650 * 86_400

  init(seconds: Int64) { self.seconds = seconds }

  init(parsing text: String) throws(BadArgument) {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    let digits = text.dropLast()
    guard let unit = text.last.flatMap({ units[$0] }), !digits.isEmpty,
      digits.utf8.allSatisfy({ (48...57).contains($0) })
    else {
      throw BadArgument("write a number and a unit, as in 90s, 15m, 24h or 7d")
    }
    guard let number = Int64(digits), number > 0, number <= Self.most / unit else {
      throw BadArgument("the duration must be from 1s to 3650d")
    }
    seconds = number * unit
  }
}

/// A dwell time: seconds without a unit, or a duration.
struct DwellArgument: Hashable {
  let seconds: UInt32

  init(parsing text: String) throws(BadArgument) {
    let given: UInt32
    if let bare = UInt32(text) {
      given = bare
    } else {
      given = UInt32(clamping: try DurationArgument(parsing: text).seconds)
    }
    guard given <= Limits.spanSeconds else {
      throw BadArgument("the dwell time must be at most 7d")
    }
    seconds = given
  }
}

/// The time until command must review a zone: a duration, or `off`.
struct ReviewArgument: Hashable {
  /// 0 for never.
  let seconds: UInt32

  init(parsing text: String) throws(BadArgument) {
    guard text != "off" else {
      seconds = 0
      return
    }
    let given = try DurationArgument(parsing: text).seconds
    guard given <= Limits.spanSeconds else { throw BadArgument("the review must be due within 7d") }
    seconds = UInt32(given)
  }
}

/// `on` or `off`.
enum SwitchArgument: String, CaseIterable, ExpressibleByArgument {
  case on
  case off
}

/// A time in RFC 3339 format.
struct MomentArgument: Hashable {
  let timestamp: Timestamp

  init(parsing text: String) throws(BadArgument) {
    guard let timestamp = Timestamp(rfc3339: text), Timestamp.writable.contains(timestamp) else {
      throw BadArgument("write the time in RFC 3339 format: 2010-08-05T14:23:59Z")
    }
    self.timestamp = timestamp
  }
}

extension Timestamp {
  /// By this laptop's clock.
  static var now: Timestamp {
    Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
  }
}

/// A time of day by this laptop's clock: `15:10`. The next one counts.
struct DayTimeArgument: Hashable {
  let hour: Int
  let minute: Int

  init(parsing text: String) throws(BadArgument) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.count == 2 }), let hour = Int(parts[0]),
      let minute = Int(parts[1]), (0...23).contains(hour), (0...59).contains(minute)
    else { throw BadArgument("write the time of day as hours and minutes: 15:10") }
    (self.hour, self.minute) = (hour, minute)
  }

  /// Returns the seconds from a moment to the next such time, at least 1.
  func seconds(after now: Timestamp) -> Int64 {
    let start = Date(timeIntervalSince1970: Double(now.milliseconds) / 1000)
    let next = Calendar.current.nextDate(
      after: start, matching: DateComponents(hour: hour, minute: minute, second: 0),
      matchingPolicy: .nextTime)
    return max(1, Int64((next ?? start).timeIntervalSince(start).rounded(.up)))
  }

  /// Returns the last such time up to a moment.
  func last(before now: Timestamp) -> Timestamp {
    // The search excludes its start.
    let start = Date(timeIntervalSince1970: Double(now.milliseconds + 1) / 1000)
    let last = Calendar.current.nextDate(
      after: start, matching: DateComponents(hour: hour, minute: minute, second: 0),
      matchingPolicy: .nextTime, direction: .backward)
    return Timestamp(milliseconds: Int64((last ?? start).timeIntervalSince1970 * 1000))
  }
}

/// A time of the past: a time of day by this laptop's clock (`15:10`, of which the last one
/// counts), a time in RFC 3339 format, or a duration before now (`20m`).
enum PastArgument: Hashable {
  case day(DayTimeArgument)
  case moment(MomentArgument)
  case ago(DurationArgument)

  init(parsing text: String) throws(BadArgument) {
    do throws(BadArgument) {
      if text.utf8.count == 5, text.contains(":") {
        self = .day(try DayTimeArgument(parsing: text))
      } else if text.contains(":") {
        self = .moment(try MomentArgument(parsing: text))
      } else {
        self = .ago(try DurationArgument(parsing: text))
      }
    } catch {
      throw BadArgument(
        "write the time as 14:05, as 2010-08-05T14:05:00Z, or as a time ago: 20m, 3h")
    }
  }

  func moment(before now: Timestamp) -> Timestamp {
    switch self {
    case .day(let day): day.last(before: now)
    case .moment(let moment): moment.timestamp
    case .ago(let span): Timestamp(milliseconds: now.milliseconds - span.seconds * 1000)
    }
  }
}
