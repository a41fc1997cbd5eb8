internal import MusterGeo
internal import MusterModel
internal import MusterNode

/// A warning about a position that is far from everyone: a digit or a sign may be wrong. The
/// dashboard warns of the same distance.
extension NodeConnection {
  static let farMetres = 100_000.0

  /// Prints one line on standard error if no person with a position is within 100 km.
  func warnIfFar(_ place: Coordinate?) async {
    guard let place else { return }
    await warn("the position") { Geodesic.distanceMetres(from: place, to: $0) }
  }

  /// The same for the outline of a zone.
  func warnIfFar(_ zone: FenceGeometry?) async {
    guard let zone else { return }
    await warn("the outline of the zone") { zone.distanceToEdgeMetres(from: $0) }
  }

  /// Returns the places that the node knows; nil if it does not answer: the command itself reports
  /// that.
  ///
  /// - Parameter report: a report that does not count.
  func knownPlaces(besides report: RowID? = nil) async -> KnownPlaces? {
    do {
      guard case .users(let users) = try await ask(.users),
        case .reports(let reports) = try await ask(.reports),
        case .fences(let zones) = try await ask(.fences)
      else { return nil }
      return KnownPlaces(
        points: users.compactMap(\.fix?.position)
          + reports.filter { $0.id != report }.compactMap(\.position),
        zones: zones.map(\.geometry))
    } catch {
      return nil
    }
  }

  private func warn(_ what: String, _ distance: (Coordinate) -> Double) async {
    let users: [UserSummary]
    do {
      guard case .users(let all) = try await ask(.users) else { return }
      users = all
    } catch {
      // The command itself reports that the node does not answer.
      return
    }
    var nearest: (metres: Double, callsign: String)?
    for user in users {
      guard let place = user.fix?.position else { continue }
      let metres = distance(place)
      if metres <= Self.farMetres { return }
      if metres < nearest?.metres ?? .infinity { nearest = (metres, user.callsign) }
    }
    guard let nearest else { return }
    Standard.complain(
      "\(what) is \(Int(nearest.metres / 1000)) km from the nearest person, "
        + "\(SafeText.line(nearest.callsign)): check it")
  }
}

/// The places of people, reports and zones.
struct KnownPlaces {
  let points: [Coordinate]
  let zones: [FenceGeometry]

  /// Returns the distance to the nearest one; nil if there is none.
  func metres(to place: Coordinate) -> Double? {
    let distances =
      points.map { Geodesic.distanceMetres(from: place, to: $0) }
      + zones.map { $0.distanceToEdgeMetres(from: place) }
    return distances.min()
  }
}
