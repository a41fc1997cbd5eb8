internal import MusterModel

extension OperationExport {
  private static let headings = [
    "kind", "id", "name", "state", "latitude", "longitude", "accuracy_m", "time", "by", "details",
    "delivery",
  ]

  /// What makes Excel read a CSV file as UTF-8 (U+FEFF).
  public static let byteOrderMark = "\u{FEFF}"

  /// Returns CSV (RFC 4180) with a header, without a byte order mark; one line for each person,
  /// report, fence, event and track fix.
  public func csv() -> String {
    var rows = [Self.headings]
    for user in users {
      rows.append(
        Self.row(
          "user", "\(user.id)", user.callsign, user.status.rawValue, user.fix?.position,
          accuracy: user.fix?.accuracyDecimetres, time: user.fix?.sampleTime, by: user.team,
          details: user.reason))
    }
    for report in reports {
      rows.append(
        Self.row(
          "report", "\(report.id)", report.title, report.status.name, report.position,
          time: report.createdAt, by: report.ownerCallsign,
          details: "\(report.category.name): \(report.details)", delivery: report.delivery.text))
    }
    for fence in fences {
      rows.append(
        Self.row(
          "fence", "\(fence.id)", fence.name, fence.isActive ? "active" : "inactive", nil,
          time: fence.updatedAt, by: "",
          details: "\(fence.kind.name); inside: \(fence.inside.joined(separator: ", "))"))
    }
    for event in events {
      rows.append(
        Self.row(
          "event", "\(event.id)", event.fenceName, event.type.name, event.position,
          time: event.sampleTime, by: event.callsign,
          details: event.isBaseline ? "baseline" : ""))
    }
    for track in tracks {
      for fix in track.fixes {
        rows.append(
          Self.row(
            "fix", "", track.callsign, "", fix.position, accuracy: fix.accuracyDecimetres,
            time: fix.sampleTime, by: track.callsign, details: ""))
      }
    }
    return rows.map { $0.map(Self.field).joined(separator: ",") + "\r\n" }.joined()
  }

  private static func row(
    _ kind: String, _ id: String, _ name: String, _ state: String, _ place: Coordinate?,
    accuracy: UInt32? = nil, time: Timestamp?, by person: String, details: String,
    delivery: String = ""
  ) -> [String] {
    [
      kind, id, plain(name), state, place.map { Degrees.text($0.latitudeE7) } ?? "",
      place.map { Degrees.text($0.longitudeE7) } ?? "",
      accuracy.map { GeoJSON.decimal(Int64($0), places: 1) } ?? "",
      time.map { "\($0)" } ?? "", plain(person), plain(details), delivery,
    ]
  }

  private static let formulaStarts = Set("=+-@＝＋－＠".unicodeScalars)

  /// Escapes what a spreadsheet would interpret as a formula: the author of a text is not trusted.
  /// In many locales a spreadsheet begins a cell after a semicolon, a tab or a line break too
  /// (OWASP, CSV Injection).
  static func plain(_ text: String) -> String {
    var escaped = String.UnicodeScalarView()
    if let first = text.unicodeScalars.first, "\t\r".unicodeScalars.contains(first) {
      escaped.append("'")
    }
    var beginsCell = true
    for scalar in text.unicodeScalars {
      if beginsCell, formulaStarts.contains(scalar) { escaped.append("'") }
      switch scalar {
      case ";", "\t", "\r", "\n": beginsCell = true
      case " ": break
      default: beginsCell = false
      }
      escaped.append(scalar)
    }
    return String(escaped)
  }

  static func field(_ text: String) -> String {
    // By code points: a quote and an accent, or CR and LF, are one character.
    let scalars = text.unicodeScalars
    guard scalars.contains(where: { [",", "\"", "\r", "\n"].contains($0) }) else { return text }
    var quoted = String.UnicodeScalarView("\"".unicodeScalars)
    for scalar in scalars {
      if scalar == "\"" { quoted.append(scalar) }
      quoted.append(scalar)
    }
    quoted.append("\"")
    return String(quoted)
  }
}
