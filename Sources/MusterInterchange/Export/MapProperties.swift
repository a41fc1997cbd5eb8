public import MusterModel

// The properties of features for map programs. They are texts, numbers and flags only: QGIS cannot
// save a layer with lists or objects. Each name has one meaning and one type in a collection of all
// kinds of features, and `name` is in every feature.

extension UserSummary {
  /// The properties of the person's position.
  public var mapProperties: [String: JSON] {
    [
      "muster": .string("user"), "id": .id(id), "name": .string(callsign),
      "callsign": .string(callsign), "role": .string(roleName),
      "team": .string(team), "owner": .known(trackerOwner, JSON.id),
      "personStatus": .string(status.rawValue), "personSeverity": .string(severity.rawValue),
      "reason": .string(reason), "safety": .string(safety.rawValue),
      "conditions": .string(conditions.map(\.status.rawValue).joined(separator: ", ")),
      "ageSeconds": .known(age?.seconds, JSON.integer),
      "ageAtMostSeconds": .known(age?.atMostSeconds, JSON.integer),
      "ageReason": .known(age?.reason, JSON.string),
      "accuracyMetres": .metres(decimetres: fix?.accuracyDecimetres),
      "fixAgeSeconds": .known(fixAgeSeconds, JSON.integer),
    ].merging(JSON.place(fix?.position)) { $1 }
      .merging(orderProperties) { $1 }
      .merging(Self.properties(of: selfReport, named: "claim")) { $1 }
      .merging(Self.properties(of: override, named: "override")) { $1 }
  }

  private var orderProperties: [String: JSON] {
    [
      "orderID": .known(order?.id, JSON.id), "orderKind": .known(order?.kind.name, JSON.string),
      "orderZone": .known(order?.zoneName, JSON.string),
      "orderDistanceMetres": .known(order?.distanceMetres, JSON.integer),
      "orderBearingDegrees": .known(order?.bearingDegrees, JSON.integer),
      "orderDueSeconds": .known(order?.dueSeconds, JSON.integer),
    ]
  }

  private static func properties(
    of statement: SafetyStatement?, named name: String
  ) -> [String: JSON] {
    [
      name: .known(statement?.claim.name, JSON.string),
      "\(name)Note": .known(statement?.note, JSON.string),
      "\(name)By": .known(statement?.callsign, JSON.string),
      "\(name)At": .known(statement?.statedAt, JSON.time),
    ]
  }
}

extension ReportSummary {
  /// The properties of the report's position.
  public var mapProperties: [String: JSON] {
    [
      "muster": .string("report"), "id": .id(id), "name": .string(title), "title": .string(title),
      "description": .string(details), "category": .string(category.name),
      "reportStatus": .string(status.name),
      "reportSeverity": .known(severity) { .count(Int($0)) },
      "toEvacuate": .bool(toEvacuate), "photos": .count(photoCount), "owner": .id(owner),
      "ownerCallsign": .string(ownerCallsign),
      "confirmations": .string(confirmations.joined(separator: ", ")),
      "comments": .string(
        comments.map { "\($0.callsign): \($0.text)" }.joined(separator: "\n")),
      "conflicts": .string(conflicts.map(\.field.name).joined(separator: ", ")),
      "delivery": .string(delivery.text), "deliveryDevices": .count(delivery.devices),
      "deliveryTotal": .count(delivery.total),
      "deliveryCommandPost": .bool(delivery.commandPost),
      "deliveryArchive": .bool(delivery.archive),
      "deliveryAgeSeconds": .known(delivery.ageSeconds, JSON.integer),
      "createdAt": .time(createdAt), "updatedAt": .time(updatedAt),
    ].merging(authorship.members) { $1 }.merging(JSON.place(position)) { $1 }
  }
}

extension FenceSummary {
  /// The properties of the outline, with those that were imported with it.
  public var mapProperties: [String: JSON] {
    let imported = GeoJSON.moreProperties(properties).mapValues(\.flat)
    return imported.merging([
      "muster": .string("fence"), "id": .id(id), GeoJSON.Key.name: .string(name),
      GeoJSON.Key.kind: .string(kind.name), GeoJSON.Key.isActive: .bool(isActive),
      GeoJSON.Key.radius: .known(radiusCentimetres) {
        .number(GeoJSON.decimal(Int64($0), places: 2))
      },
      "insideCount": .count(inside.count),
    ]) { $1 }.merging(authorship.members) { $1 }
  }

  private var radiusCentimetres: UInt32? {
    if case .circle(_, let radius) = geometry { radius } else { nil }
  }
}

extension CrossingSummary {
  /// The properties of a zone entry or exit.
  var mapProperties: [String: JSON] {
    [
      "muster": .string("event"), "id": .id(id),
      "name": .string("\(callsign) \(type.name) \(fenceName)"), "callsign": .string(callsign),
      "type": .string(type.name), "fence": .id(fence), "fenceName": .string(fenceName),
      "subject": .id(subject), "sampleTime": .time(sampleTime), "baseline": .bool(isBaseline),
    ].merging(JSON.place(position)) { $1 }
  }
}

extension OperationExport.PersonTrack {
  /// The properties of the track.
  var mapProperties: [String: JSON] {
    [
      "muster": .string("track"), "name": .string(callsign), "callsign": .string(callsign),
      "fixes": .count(fixes.count),
      "beginsAt": .known(fixes.first?.sampleTime, JSON.time),
      "endsAt": .known(fixes.last?.sampleTime, JSON.time),
      "times": .string(fixes.map { "\($0.sampleTime)" }.joined(separator: ", ")),
    ]
  }
}

extension SafetyClaim {
  /// The name in JSON.
  var name: String { self == .safe ? "safe" : "help" }
}

extension JSON {
  /// The value itself, or a list or an object as JSON text.
  fileprivate var flat: JSON {
    switch self {
    case .array, .object: .string(text)
    default: self
    }
  }
}
