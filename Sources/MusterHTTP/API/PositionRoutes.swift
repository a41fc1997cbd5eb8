internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// Positions, tracks, and the fences around a position.
enum PositionRoutes {
  private static let here = [
    Route.Parameter(name: "lat", shape: .latitude, isRequired: true, about: "In degrees."),
    Route.Parameter(name: "lon", shape: .longitude, isRequired: true, about: "In degrees."),
  ]

  static let routes: [Route] = [
    Route(
      .get, "/api/v1/point-in-fences", "List active fences around a position", rights: .read,
      parameters: here,
      result: .json(.open([.must("items", .list(.named("Fence"), most: Int(Rows.mostPerPage)))]))
    ) { api, call in
      guard let latitude = call.queryNumber("lat"), let longitude = call.queryNumber("lon"),
        let place = Coordinate(latitude: latitude, longitude: longitude)
      else { throw Problem(.badRequest, "the coordinates are out of range") }
      let fences = try await api.node.fences(around: place)
      return .ok(.object(["items": .array(fences.map(\.json))]))
    },
    Route(
      .get, "/api/v1/positions", "List the last positions of all people", rights: .read,
      result: .json(
        .open([.must("items", .list(.named("Position"), most: Int(Rows.mostPerPage)))]))
    ) { api, _ in
      guard case .users(let users) = try await api.ask(.users) else { throw Problem.unexpected }
      return .ok(.object(["items": .array(users.compactMap(\.positionJSON))]))
    },
    Route(
      .get, "/api/v1/tracks/{id}", "Get a person's track, by time", rights: .dearRead,
      parameters: [ListRoutes.paging[0]], result: .json(.named("Track"))
    ) { api, call in
      let limit = Int(call.queryInteger("limit") ?? Rows.page)
      let fixes = try await api.node.track(of: call.id, limit: limit)
      return .ok(.object(["items": .array(fixes.map(\.json))]))
    },
  ]
}

extension UserSummary {
  /// The position with its age; nil without one.
  var positionJSON: JSON? {
    guard let fix else { return nil }
    return fix.json.adding([
      "id": .id(id), "callsign": .string(callsign), "reportedAt": .known(reportedAt, JSON.time),
      "fixAgeSeconds": .known(fixAgeSeconds, JSON.integer),
    ])
  }
}

extension Fix {
  /// A fix of a track.
  var json: JSON {
    JSON.object([
      "accuracyMetres": .metres(decimetres: accuracyDecimetres), "sampleTime": .time(sampleTime),
    ]).adding(JSON.place(position))
  }
}
