internal import MusterHTTP
internal import MusterModel
internal import MusterNode

/// Whether there is a base map of this place: of the position of this laptop, else of the area of
/// the operation.
struct MapCheck {
  let home: HomeOptions
  /// The paths of maps in the settings.
  let files: [String]

  private static let add = "muster map add FILE; docs/maps.md describes how to make one"

  func findings() async throws -> [Finding] {
    guard home.folders.exists else { return [] }
    let maps: MapCollection
    do throws(BaseMap.Fault) {
      maps = try MapCollection(files: files, in: MapFolder(in: home.folders.path))
    } catch {
      return [.bad("map", SafeText.line("\(error)"), "correct `map` in the settings")]
    }
    let connection = try await NodeConnection.open(home)
    guard case .status(let status) = try await connection.ask(.status) else {
      throw Refusal.unexpectedReply
    }
    if let own = status.fix?.fix.position {
      return [await finding(maps, [own], "the position of this laptop")]
    }
    return [
      await finding(
        maps, try await area(connection), "the area of people, reports and zones")
    ]
  }

  private func finding(
    _ maps: MapCollection, _ places: [Coordinate], _ what: String
  ) async -> Finding {
    guard let name = await maps.names(covering: places).first else {
      return .doubtful(
        "map", places.isEmpty ? "there is no map yet" : "no map covers \(what)", Self.add)
    }
    guard !places.isEmpty else {
      return .doubtful(
        "map", "the position of this laptop is unknown", "muster position set LAT,LON")
    }
    return .good("map", "\(SafeText.line(name)) covers \(what)")
  }

  /// All places of the operation.
  private func area(_ connection: NodeConnection) async throws -> [Coordinate] {
    guard case .users(let users) = try await connection.ask(.users),
      case .reports(let reports) = try await connection.ask(.reports),
      case .fences(let zones) = try await connection.ask(.fences)
    else { throw Refusal.unexpectedReply }
    return users.compactMap { $0.fix?.position } + reports.compactMap(\.position)
      + zones.flatMap { zone in
        switch zone.geometry {
        case .circle(let center, _): [center]
        case .polygons(let polygons): polygons.flatMap(\.outer.vertices)
        }
      }
  }
}
