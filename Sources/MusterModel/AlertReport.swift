/// What an alert about a report consists of, so that each surface writes it in its own language.
public struct AlertReport: Codable, Hashable, Sendable {
  /// What the place of a report has to do with anyone.
  public enum Place: Codable, Hashable, Sendable {
    /// So many people within some metres; 0 for no one known.
    case people(Int, withinMetres: Int)
    /// The name of the nearest zone; 0 m within it.
    case zone(String, metres: Int)
    /// The distance from this device.
    case here(metres: Int)
    /// The report has no position.
    case unknown
  }

  /// Who filed it.
  public let reporter: Authorship
  /// Whether it requests to evacuate.
  public let toEvacuate: Bool
  /// Its title.
  public let title: String
  /// Its category.
  public let category: ReportCategory
  /// Whether the device that signed it is that of a known person, and not revoked.
  public let isProven: Bool
  /// What its place has to do with anyone.
  public let place: Place

  /// Creates the parts of an alert.
  public init(
    reporter: Authorship, toEvacuate: Bool, title: String, category: ReportCategory, isProven: Bool,
    place: Place
  ) {
    self.reporter = reporter
    self.toEvacuate = toEvacuate
    self.title = title
    self.category = category
    self.isProven = isProven
    self.place = place
  }

  /// In one line, such as `Rui reports: evacuate. Dam overtopping (flood). 3 people within 500 m`.
  public var phrase: Phrase {
    var values: [String: Phrase.Value] = [
      "by": reporter.value, "title": .text(title), "place": .phrase(place.phrase),
      "category": .phrase(Phrase("category", category)),
    ]
    if toEvacuate { values["request"] = .phrase(.reportEvacuate) }
    if !isProven { values["doubt"] = .phrase(.notProven) }
    return Phrase(.report, values)
  }
}

extension AlertReport.Place {
  /// Whether someone is near.
  public var concernsPeople: Bool {
    if case .people(let count, _) = self { count > 0 } else { false }
  }

  fileprivate var phrase: Phrase {
    switch self {
    case .people(0, let metres): Phrase(.noOneWithin, ["far": Self.distance(metres)])
    case .people(let count, let metres):
      Phrase(.peopleWithin, ["n": .count(count), "far": Self.distance(metres)])
    case .zone(let name, 0): Phrase(.inZone, ["zone": .text(name)])
    case .zone(let name, let metres):
      Phrase(.fromZone, ["far": .text("\(metres) m"), "zone": .text(name)])
    case .here(let metres): Phrase(.fromHere, ["far": .text("\(metres) m")])
    case .unknown: Phrase(.unplaced)
    }
  }

  private static func distance(_ metres: Int) -> Phrase.Value {
    .text(metres >= 1000 ? "\(metres / 1000) km" : "\(metres) m")
  }
}
