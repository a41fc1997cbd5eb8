internal import ArgumentParser
internal import Foundation
internal import MusterModel

/// A length of time: `90s`, `15m`, `24h`, `7d`.
struct DurationArgument: Hashable {
  let seconds: Int64

  /// Ten years, more than anything lasts.
  private static let most: Int64 = 3650 * 86_400

  init(seconds: Int64) { self.seconds = seconds }

  init(parsing text: String) throws(BadArgument) {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    let digits = text.dropLast()
    guard let unit = text.last.flatMap({ units[$0] }), !digits.isEmpty,
      digits.utf8.allSatisfy({ (48...57).contains($0) })
    else {
      throw BadArgument("write a number and s, m, h or d, as in 90s, 15m, 24h or 7d")
    }
    guard let number = Int64(digits), number > 0, number <= Self.most / unit else {
      throw BadArgument("a length of time is from 1s to 3650d")
    }
    seconds = number * unit
  }
}

/// How long somebody is to be inside a fence: seconds, or as a length of time.
struct DwellArgument: Hashable {
  let seconds: UInt32

  init(parsing text: String) throws(BadArgument) {
    let given: UInt32
    if let bare = UInt32(text) {
      given = bare
    } else {
      given = UInt32(clamping: try DurationArgument(parsing: text).seconds)
    }
    guard given <= Limits.spanSeconds else { throw BadArgument("a dwell time is at most a week") }
    seconds = given
  }
}

/// After how long command is to review a zone: a length of time, or `off`.
struct ReviewArgument: Hashable {
  /// 0 for never.
  let seconds: UInt32

  init(parsing text: String) throws(BadArgument) {
    guard text != "off" else {
      seconds = 0
      return
    }
    let given = try DurationArgument(parsing: text).seconds
    guard given <= Limits.spanSeconds else { throw BadArgument("a review is due within a week") }
    seconds = UInt32(given)
  }
}

/// `on` or `off`.
enum SwitchArgument: String, CaseIterable, ExpressibleByArgument {
  case on
  case off
}

/// A moment as RFC 3339 writes it.
struct MomentArgument: Hashable {
  let timestamp: Timestamp

  init(parsing text: String) throws(BadArgument) {
    guard let timestamp = Timestamp(rfc3339: text), Timestamp.writable.contains(timestamp) else {
      throw BadArgument("write a time as RFC 3339 does: 2010-08-05T14:23:59Z")
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
