internal import MusterGeo
internal import MusterModel

/// Alerts about reports of others.
///
/// At command a report of severity 4 or 5, and one that requests to evacuate, is an alarm wherever
/// it is. Any other raises an alert if it is within `nearMetres` of a person or a zone. At other
/// devices a report raises an alert near this device, and one that requests to evacuate without a
/// position raises one everywhere. What is not proven is a warning at most.
struct ReportAlerts {
  /// The distance within which a report concerns a person or a zone.
  static let nearMetres = 1000.0
  /// The distance within which a report that requests to evacuate is near this device.
  static let evacuationMetres = 2000.0
  /// The distance within which people are counted first.
  static let closeMetres = 500.0

  /// An open report, without fields that are expensive to compute and irrelevant for danger.
  struct Report {
    let id: RowID
    /// Whether the user of this device filed it themself, not a login or phone through it.
    let isOwn: Bool
    /// Returns who filed it: read for what raises an alert alone.
    let reporter: () throws -> Authorship
    /// Whether the device that signed it is that of a known person, and not revoked.
    let isProven: Bool
    let title: String
    let category: ReportCategory
    let severity: UInt8?
    let toEvacuate: Bool
    let position: Coordinate?
  }

  let isCommand: Bool
  let reports: [Report]
  /// This device's position, if it is known accurately enough.
  let here: Coordinate?
  let surroundings: Surroundings

  func findings() throws -> [AlertTracker.Finding] {
    try reports.filter { !$0.isOwn }.compactMap(finding)
  }

  private func finding(_ report: Report) throws -> AlertTracker.Finding? {
    guard let found = isCommand ? atCommand(report) : elsewhere(report) else { return nil }
    let parts = AlertReport(
      reporter: try report.reporter(), toEvacuate: report.toEvacuate, title: report.title,
      category: report.category, isProven: report.isProven, place: found.place)
    return AlertTracker.Finding(
      id: AlertID(kind: .hazard, row: report.id),
      level: report.isProven ? found.level : min(found.level, .warning), phrase: parts.phrase,
      report: parts)
  }

  // MARK: Command

  private func atCommand(_ report: Report) -> (level: AlertLevel, place: AlertReport.Place)? {
    let isAlarm = report.toEvacuate || (report.severity ?? 0) >= 4
    let place = report.position.map(place) ?? .unknown
    guard isAlarm || place.concernsAnyone else { return nil }
    return (isAlarm ? .danger : report.severity == 3 ? .warning : .notice, place)
  }

  /// Returns the people near a position, or else the nearest zone.
  private func place(of position: Coordinate) -> AlertReport.Place {
    let people = surroundings.distances(from: position, within: Self.nearMetres)
    let close = people.count { $0 <= Self.closeMetres }
    if close > 0 { return .people(close, withinMetres: Int(Self.closeMetres)) }
    if people.isEmpty,
      let zone = surroundings.nearestZone(to: position, within: Self.nearMetres)
    {
      return .zone(zone.name, metres: Self.rounded(zone.metres))
    }
    return .people(people.count, withinMetres: Int(Self.nearMetres))
  }

  // MARK: Other devices

  private func elsewhere(_ report: Report) -> (level: AlertLevel, place: AlertReport.Place)? {
    let isSevere = (report.severity ?? 0) >= 4
    let level: AlertLevel = report.toEvacuate ? .danger : isSevere ? .warning : .notice
    guard let position = report.position else {
      return report.toEvacuate ? (level, .unknown) : nil
    }
    guard let here else { return nil }
    let metres = Geodesic.distanceMetres(from: here, to: position)
    guard metres <= (report.toEvacuate ? Self.evacuationMetres : Self.nearMetres) else {
      return nil
    }
    return (level, .here(metres: Self.rounded(metres)))
  }

  private static func rounded(_ metres: Double) -> Int { Int(metres / 10) * 10 }
}

extension AlertReport.Place {
  /// Whether a person or a zone is near.
  fileprivate var concernsAnyone: Bool {
    switch self {
    case .people(let count, _): count > 0
    case .zone: true
    case .here, .unknown: false
    }
  }
}

/// Where people and active zones are, to find those near many places.
struct Surroundings {
  /// Of people who are not signed off, from south to north.
  private let people: [Coordinate]
  private let zones: [(name: String, prepared: PreparedFence)]
  /// A degree of latitude has at least 110,574 m: so many units of 1e-7 degree are longer than a
  /// metre.
  private static let unitsPerMetre = 91.0

  /// - Parameters:
  ///   - zones: in the order of preference among equally near ones.
  init(people: [UserSummary], zones: [(name: String, prepared: PreparedFence)]) {
    self.people = people.compactMap { person in
      guard let fix = person.fix, AlertRules.isPrecise(fix), !person.has(.signedOff) else {
        return nil
      }
      return fix.position
    }.sorted()
    self.zones = zones
  }

  /// Returns the distances of the people within some metres of a place, in no order.
  func distances(from place: Coordinate, within limit: Double) -> [Double] {
    let reach = Int64(limit * Self.unitsPerMetre)
    let (south, north) = (Int64(place.latitudeE7) - reach, Int64(place.latitudeE7) + reach)
    let first = people.firstPlace { Int64($0.latitudeE7) >= south }
    return people[first...].prefix { Int64($0.latitudeE7) <= north }.compactMap { position in
      let metres = Geodesic.distanceMetres(from: place, to: position)
      return metres <= limit ? metres : nil
    }
  }

  /// Returns the nearest zone, with 0 m for one around the place; nil if none is within the limit.
  func nearestZone(to place: Coordinate, within limit: Double) -> (name: String, metres: Double)? {
    var nearest: (name: String, metres: Double)?
    for zone in zones {
      guard let metres = zone.prepared.distanceMetres(from: place, within: limit) else { continue }
      if metres < nearest?.metres ?? .infinity { nearest = (zone.name, metres) }
    }
    return nearest
  }
}
