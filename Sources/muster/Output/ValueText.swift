internal import Foundation
internal import MusterGeo
internal import MusterModel

/// Values as text output shows them.
enum ValueText {
  static func place(_ coordinate: Coordinate?, as format: CoordinateFormat) -> String {
    coordinate.map { CoordinateText.text($0, as: format) } ?? ""
  }

  static func fix(_ fix: Fix?, as format: CoordinateFormat) -> String {
    guard let fix else { return "" }
    let accuracy = fix.accuracyDecimetres.map { " ±\(metres(Double($0) / 10))" } ?? ""
    return place(fix.position, as: format) + accuracy
  }

  static func metres(_ metres: Double) -> String {
    metres >= 10_000
      ? String(format: "%.1f km", metres / 1000)
      : String(format: metres == metres.rounded() ? "%.0f m" : "%.1f m", metres)
  }

  /// `4 s`, `12 min`, `3 h`, `2 d`: in the largest unit that is not zero.
  static func age(_ seconds: Int64?) -> String {
    guard let seconds else { return "" }
    switch seconds {
    case ..<60: return "\(max(0, seconds)) s"
    case ..<3600: return "\(seconds / 60) min"
    case ..<86_400: return "\(seconds / 3600) h"
    default: return "\(seconds / 86_400) d"
    }
  }

  /// `0.4 ms`, `35 ms`, `1.2 s`; empty if it is unknown.
  static func roundTrip(_ microseconds: Int64?) -> String {
    guard let microseconds else { return "" }
    switch microseconds {
    case ..<10_000: return String(format: "%.1f ms", Double(microseconds) / 1000)
    case ..<1_000_000: return "\(microseconds / 1000) ms"
    default: return String(format: "%.1f s", Double(microseconds) / 1_000_000)
    }
  }

  /// `812 B`, `3.4 kB`, `1.2 MB`.
  static func bytes(_ count: UInt64?) -> String {
    guard let count else { return "" }
    return switch count {
    case ..<1000: "\(count) B"
    case ..<1_000_000: String(format: "%.1f kB", Double(count) / 1000)
    case ..<1_000_000_000: String(format: "%.1f MB", Double(count) / 1_000_000)
    default: String(format: "%.1f GB", Double(count) / 1_000_000_000)
    }
  }

  /// `2/3 post ✓`: how many devices have it, and whether a command post does.
  static func delivery(_ devices: Int, of total: Int, commandPost: Bool) -> String {
    "\(devices)/\(total)" + (commandPost ? " post ✓" : "")
  }

  static func count(_ number: Int, _ one: String, _ many: String) -> String {
    "\(number) \(number == 1 ? one : many)"
  }

  /// The symptom of a stalled peer, and for how long.
  static func deed(of peer: StallSummary) -> String {
    let what =
      peer.kind == .keepsToItself
      ? "advertises data but does not deliver it"
      : "is missing data but does not request it"
    return "\(what), for \(age(peer.seconds)): check its disk, its link and its user"
  }

  /// The people without new data; nil if there are none.
  static func stale(_ silences: [SilenceSummary]) -> String? {
    guard !silences.isEmpty else { return nil }
    let named = silences.prefix(6).map { "\($0.callsign) (\(age($0.seconds)))" }
    let rest = silences.count > 6 ? ", and \(silences.count - 6) more" : ""
    return "no new data of " + named.joined(separator: ", ") + rest
  }

  static func shape(_ geometry: FenceGeometry, as format: CoordinateFormat) -> String {
    switch geometry {
    case .circle(let center, let radius):
      return "circle of \(metres(Double(radius) / 100)) around \(place(center, as: format))"
    case .polygons(let polygons):
      let corners = polygons.reduce(0) { sum, polygon in
        polygon.holes.reduce(sum + polygon.outer.vertices.count) { $0 + $1.vertices.count }
      }
      return polygons.count == 1
        ? "polygon of \(corners) corners" : "\(polygons.count) polygons of \(corners) corners"
    }
  }
}

extension UserSummary {
  /// A sign and the label of the status.
  var statusCell: Table.Cell {
    switch severity {
    case .danger: Table.Cell("✖ \(status.label)", .bad)
    case .warning: Table.Cell("! \(status.label)", .doubtful)
    case .neutral: Table.Cell("· \(status.label)")
    case .safe: Table.Cell("✔ \(status.label)", .good)
    }
  }

  /// The reason for the status, and all other conditions that apply.
  var reasons: String {
    let others = conditions.filter { $0.status != status }.map(\.reason)
    return ([reason] + others).joined(separator: " · ")
  }

  /// The charge of the battery; empty if it is not known.
  var batteryCell: Table.Cell {
    guard let batteryPercent else { return .init("") }
    return .init("\(batteryPercent) %", hasLowBattery ? .bad : .plain)
  }
}

extension Delivery {
  var shortText: String { ValueText.delivery(devices, of: total, commandPost: commandPost) }
}

extension FollowedOrder {
  /// `muster: School, 420 m north-east (47°), 12 min left`.
  var words: String {
    var words = kind.name
    if !zoneName.isEmpty { words += ": \(zoneName)" }
    if let distanceMetres {
      words +=
        distanceMetres == 0
        ? ", there" : ", \(ZoneDirection.words(metres: distanceMetres, degrees: bearingDegrees))"
    }
    if let dueSeconds {
      words += dueSeconds > 0 ? ", \(ValueText.age(dueSeconds)) left" : ", overdue"
    }
    return words
  }
}

extension CrossingType {
  var cell: Table.Cell {
    self == .enter ? Table.Cell("→ ENTER", .good) : Table.Cell("← EXIT", .doubtful)
  }
}
