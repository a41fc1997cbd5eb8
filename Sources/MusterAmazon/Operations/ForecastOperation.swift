internal import MusterGeo
internal import MusterInterchange
internal import MusterModel

/// `ForecastGeofenceEvents`: which geofences a device would enter or leave, if it moved straight to
/// their nearest edge at its speed.
///
/// A device that does not move has the event IDLE for each geofence around it. One that moves has
/// EXIT for these, and ENTER for all others, as far as it reaches them within the time horizon.
struct ForecastOperation: Sendable {
  let geofences: GeofenceOperations

  private static let most = 20
  private static let kilometres = (unit: "Kilometers", metres: 1000.0)
  private static let miles = (unit: "Miles", metres: 1609.344)
  private static let speedUnits = ["KilometersPerHour", "MilesPerHour"]

  private struct Event {
    let geofence: Geofence
    let type: String
    let isInside: Bool
    let metres: Double
    let breach: Timestamp?
  }

  /// How the device moves.
  private struct Course {
    let position: Coordinate
    let metresPerSecond: Double
    let horizonSeconds: Double
    let now: Timestamp

    /// Returns nil if the device does not reach the edge of a geofence in time.
    func event(at geofence: Geofence) -> Event? {
      let isInside = geofence.geometry.contains(position)
      let metres = geofence.geometry.distanceToEdgeMetres(from: position)
      guard metresPerSecond > 0 else {
        guard isInside else { return nil }
        return Event(
          geofence: geofence, type: "IDLE", isInside: true, metres: metres, breach: nil)
      }
      let seconds = metres / metresPerSecond
      guard seconds.isFinite, seconds <= horizonSeconds,
        let milliseconds = Int64(exactly: (seconds * 1000).rounded())
      else { return nil }
      let (breach, overflow) = now.milliseconds.addingReportingOverflow(milliseconds)
      guard !overflow, Timestamp.writable.contains(Timestamp(milliseconds: breach)) else {
        return nil
      }
      return Event(
        geofence: geofence, type: isInside ? "EXIT" : "ENTER", isInside: isInside, metres: metres,
        breach: Timestamp(milliseconds: breach))
    }
  }

  func forecast(_ call: Call) async throws(ServiceFault) -> JSON {
    let collection = try call.name("CollectionName")
    let input = call.input
    let units = [Self.kilometres.unit, Self.miles.unit]
    let distanceUnit = try input.choice("DistanceUnit", units) ?? units[0]
    let speedUnit = try input.choice("SpeedUnit", Self.speedUnits) ?? Self.speedUnits[0]
    let state = try input.required("DeviceState", input.object("DeviceState"))
    let speed = try state.number("Speed") ?? 0
    let minutes = try input.number("TimeHorizonMinutes")
    let hourlyMetres =
      speedUnit == Self.speedUnits[0] ? Self.kilometres.metres : Self.miles.metres
    let course = Course(
      position: try GeometryForm.coordinate(
        state.position("Position"), state.path(of: "Position")),
      metresPerSecond: speed * hourlyMetres / 3600,
      horizonSeconds: minutes.map { $0 * 60 } ?? .infinity, now: call.now)
    let all = try await geofences.contents(of: collection).geofences(in: collection)
    let events = all.filter(\.isActive).compactMap(course.event)
    let page = try Page(of: events, by: \.geofence.id, input, most: Self.most)
    let metres = distanceUnit == Self.kilometres.unit ? Self.kilometres.metres : Self.miles.metres
    var answer: [String: JSON] = [
      "ForecastedEvents": .array(page.elements.map { Self.json(of: $0, metresPerUnit: metres) }),
      "DistanceUnit": .string(distanceUnit), "SpeedUnit": .string(speedUnit),
    ]
    if let next = page.next { answer["NextToken"] = .string(next) }
    return .object(answer)
  }

  private static func json(of event: Event, metresPerUnit: Double) -> JSON {
    var members: [String: JSON] = [
      "EventId": .string(id(of: event)), "GeofenceId": .string(event.geofence.id),
      "IsDeviceInGeofence": .bool(event.isInside),
      "NearestDistance": .real(event.metres.isFinite ? event.metres / metresPerUnit : 0),
      "EventType": .string(event.type),
    ]
    if let breach = event.breach { members["ForecastedBreachTime"] = .time(breach) }
    let properties = event.geofence.shownProperties
    if !properties.isEmpty {
      members["GeofenceProperties"] = .object(properties.mapValues(JSON.string))
    }
    return .object(members)
  }

  /// A forecast is no stored event: its id is that of the geofence, in the form of a UUID.
  private static func id(of event: Event) -> String {
    var digits = Array("\(event.geofence.row)")
    for place in [20, 16, 12, 8] where place < digits.count { digits.insert("-", at: place) }
    return String(digits)
  }
}
