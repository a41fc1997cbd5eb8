internal import ArgumentParser
internal import Foundation
internal import MusterModel

/// How text output shows moments. JSON always has UTC.
struct LocalTime {
  private let zone: TimeZone

  static let utc = LocalTime(zone: .gmt)
  static let local = LocalTime(zone: .autoupdatingCurrent)

  init(zone: TimeZone) { self.zone = zone }

  /// `2026-11-24 10:32:50`, followed by `Z` where it is UTC.
  func text(_ moment: Timestamp) -> String {
    let date = Date(timeIntervalSince1970: Double(moment.milliseconds) / 1000)
    let offset = Int64(zone.secondsFromGMT(for: date)) * 1000
    let shifted = Timestamp(milliseconds: moment.milliseconds + offset)
    let digits = String(shifted.description.prefix(19)).replacing("T", with: " ")
    return zone == .gmt ? digits + "Z" : digits
  }

  /// The same of a time that JSON has; the text as it is if it is none.
  func text(rfc3339 time: String) -> String { Timestamp(rfc3339: time).map(text) ?? time }
}

/// The time zone of text output.
struct TimeOptions: ParsableArguments {
  @Flag(help: "Show times in UTC instead of the local time zone.")
  var utc = false

  var format: LocalTime { utc ? .utc : .local }
}
