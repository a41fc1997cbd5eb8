internal import MusterModel

extension OperationExport {
  /// Returns a GeoPackage with the layers `members`, `reports`, `fences`, `events` and `tracks`.
  /// Rows without a position have no geometry.
  public func geoPackage() throws(GeoPackageFault) -> [UInt8] {
    let file = try GeoPackageFile()
    let changed = Self.moment(newest ?? Timestamp(milliseconds: 0))
    for layer in [members, reportLayer, fenceLayer, eventLayer, trackLayer] {
      try file.add(layer, changed: changed)
    }
    return try file.bytes()
  }

  /// The newest time of the content: the file does not depend on when it is written.
  private var newest: Timestamp? {
    let times =
      users.compactMap { $0.fix?.sampleTime } + reports.map(\.updatedAt) + fences.map(\.updatedAt)
      + events.map(\.sampleTime)
    return times.filter(Timestamp.writable.contains).max()
  }

  /// Returns a time with exactly three decimals, as the standard requires.
  private static func moment(_ time: Timestamp) -> String {
    let text = "\(time)"
    return text.contains(".") ? text : text.dropLast() + ".000Z"
  }

  // MARK: Layers

  private typealias Column = GeoPackageFile.Column
  private typealias Feature = (geometry: GeoPackageGeometry?, values: [String: JSON])

  private static func feature(
    _ geometry: GeoPackageGeometry?, _ values: [String: JSON], _ columns: [Column]
  ) -> Feature {
    var values = values
    for column in columns where column.kind == .time {
      if case .string(let text)? = values[column.name], let time = Timestamp(rfc3339: text) {
        values[column.name] = .string(moment(time))
      }
    }
    return (geometry, values)
  }

  private var members: GeoPackageFile.Layer {
    let columns = Self.memberColumns
    return GeoPackageFile.Layer(
      name: "members", title: "People at their last position", geometry: .point, columns: columns,
      features: users.map { user in
        Self.feature(
          user.fix.map { .point($0.position) },
          user.mapProperties.merging([
            "sampleTime": .known(user.fix?.sampleTime, JSON.time)
          ]) { $1 }, columns)
      })
  }

  private var reportLayer: GeoPackageFile.Layer {
    let columns = Self.reportColumns
    return GeoPackageFile.Layer(
      name: "reports", title: "Hazard reports", geometry: .point, columns: columns,
      features: reports.map { report in
        Self.feature(report.position.map { .point($0) }, report.mapProperties, columns)
      })
  }

  private var fenceLayer: GeoPackageFile.Layer {
    let columns = Self.fenceColumns
    return GeoPackageFile.Layer(
      name: "fences", title: "Zones", geometry: .polygons, columns: columns,
      features: fences.map { fence in
        var geometry: GeoPackageGeometry?
        var values = fence.mapProperties.merging(["properties": .string(fence.properties)]) { $1 }
        if case .circle(let center, _) = fence.geometry {
          values.merge(JSON.place(center)) { $1 }
        }
        // A circle around a pole is its centre and radius only.
        if case .polygons(let polygons) = fence.geometry.withCircleAsPolygons {
          geometry = .polygons(polygons)
        }
        return Self.feature(geometry, values, columns)
      })
  }

  private var eventLayer: GeoPackageFile.Layer {
    let columns = Self.eventColumns
    return GeoPackageFile.Layer(
      name: "events", title: "Zone entries and exits", geometry: .point, columns: columns,
      features: events.map { event in
        Self.feature(.point(event.position), event.mapProperties, columns)
      })
  }

  private var trackLayer: GeoPackageFile.Layer {
    let columns = Self.trackColumns
    return GeoPackageFile.Layer(
      name: "tracks", title: "Tracks of people", geometry: .lines, columns: columns,
      features: tracks.map { track in
        let parts = Antimeridian.parts(ofLine: track.line.map(\.position))
        return Self.feature(.lines(parts), track.mapProperties, columns)
      })
  }

  // MARK: Columns, by the names of the map properties

  private static func columns(
    _ kind: Column.Kind, _ names: String...
  ) -> [Column] {
    names.map { Column(name: $0, kind: kind) }
  }

  private static let place = columns(.real, "lat", "lon")

  private static let memberColumns =
    columns(
      .text, "id", "name", "callsign", "role", "team", "owner", "personStatus", "personSeverity",
      "reason", "safety", "conditions", "ageReason", "orderID", "orderKind", "orderZone", "claim",
      "claimNote", "claimBy", "override", "overrideNote", "overrideBy")
    + columns(
      .integer, "ageSeconds", "ageAtMostSeconds", "fixAgeSeconds", "orderDistanceMetres",
      "orderBearingDegrees", "orderDueSeconds")
    + columns(.real, "accuracyMetres") + place
    + columns(.time, "claimAt", "overrideAt", "sampleTime")

  private static let reportColumns =
    columns(
      .text, "id", "name", "title", "description", "category", "reportStatus", "owner",
      "ownerCallsign", "writtenBy", "through", "confirmations", "comments", "conflicts", "delivery")
    + columns(
      .integer, "reportSeverity", "photos", "deliveryDevices", "deliveryTotal",
      "deliveryAgeSeconds")
    + columns(.flag, "toEvacuate", "deliveryCommandPost", "deliveryArchive") + place
    + columns(.time, "createdAt", "updatedAt")

  private static let fenceColumns =
    columns(.text, "id", "name", "kind", "properties", "writtenBy", "through")
    + columns(.integer, "insideCount")
    + columns(.flag, "active") + columns(.real, "radius_m") + place

  private static let eventColumns =
    columns(.text, "id", "name", "callsign", "type", "fence", "fenceName", "subject")
    + columns(.flag, "baseline") + place + columns(.time, "sampleTime")

  private static let trackColumns =
    columns(.text, "name", "callsign", "times") + columns(.integer, "fixes")
    + columns(.time, "beginsAt", "endsAt")
}
