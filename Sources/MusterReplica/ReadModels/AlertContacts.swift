internal import MusterCRDT
internal import MusterGeo
internal import MusterModel
internal import MusterStore

/// What alerts show beside their text: the person that they are about, and of a danger to people
/// the emergency contacts.
struct AlertContacts {
  let context: ReadContext
  /// By name.
  let contacts: [ContactSummary]
  let people: [UserID: UserSummary]
  let checkIns: CheckInIndex

  func adding(to alert: Alert) throws(StoreError) -> Alert {
    var alert = alert
    alert.person = person(of: alert.id)
    guard !contacts.isEmpty, alert.endangersPeople else { return alert }
    alert.contacts = Self.nearest(contacts, to: try place(of: alert.id))
    return alert
  }

  /// Returns the contacts that an alert shows: the nearest first, then those without a position in
  /// the order of the list. One without a position is always among them, if there is any: it may
  /// be the national emergency number.
  ///
  /// - Parameter place: where the danger is; nil if that is not known, for the order of the list.
  static func nearest(_ contacts: [ContactSummary], to place: Coordinate?) -> [AlertContact] {
    let ordered = place.map { byDistance(contacts, from: $0) } ?? contacts.map(AlertContact.init)
    var shown = Array(ordered.prefix(Limits.contactsPerAlert))
    let isAnywhere = { (one: AlertContact) in one.contact.position == nil }
    if !shown.contains(where: isAnywhere), let other = ordered.first(where: isAnywhere) {
      shown[shown.count - 1] = other
    }
    return shown
  }

  private static func byDistance(
    _ contacts: [ContactSummary], from place: Coordinate
  ) -> [AlertContact] {
    let near = contacts.compactMap { summary -> (metres: Double, contact: AlertContact)? in
      guard let position = summary.contact.position else { return nil }
      let metres = Geodesic.distanceMetres(from: place, to: position)
      let degrees = Geodesic.sphericalBearingDegrees(from: place, to: position)
      var contact = AlertContact(summary)
      contact.distanceMetres = Int64(metres.rounded())
      contact.bearingDegrees = Int64(degrees.rounded()) % 360
      return (metres, contact)
    }
    let sorted = near.sorted {
      ($0.metres, $0.contact.contact.id) < ($1.metres, $1.contact.contact.id)
    }
    return sorted.map(\.contact)
      + contacts.filter { $0.contact.position == nil }.map(AlertContact.init)
  }

  /// Returns the position of the person or of the report, else of this device's user; nil if it is
  /// not known, or if the danger concerns several people.
  private func place(of id: AlertID) throws(StoreError) -> Coordinate? {
    let own = position(of: context.local.author.user)
    switch id.kind {
    case .hazard:
      let report = try context.store.row(RowKey(kind: .report, id: id.row))
      guard case .position(let place)? = report?.shown(.reportPosition)?.value else { return own }
      return place
    case .directive: return own
    case .checkIn: return checkIns.person(of: id.row).flatMap(position)
    case .overdue, .zoneRule, .furtherCalls, .checkInGroup, .reportGroup, .silentGroup: return nil
    default:
      // For this device's own entry into a zone, the row is the zone's.
      let person = UserID(raw: id.row.raw)
      return people[person] == nil ? own : position(of: person)
    }
  }

  private func position(of user: UserID) -> Coordinate? { people[user]?.fix?.position }

  /// Returns the one person that an alert is about.
  private func person(of id: AlertID) -> UserID? {
    let row = UserID(raw: id.row.raw)
    switch id.kind {
    case .help, .duress, .calledOff, .silent, .safe, .battery, .nearZone, .sameCallsign:
      return row
    // For this device's own entry into a zone, the row is the zone's.
    case .inHazard: return people[row] == nil ? context.local.author.user : row
    case .checkIn, .checkInReminder, .stillness: return checkIns.person(of: id.row)
    default: return nil
    }
  }
}

extension Alert {
  /// Whether people are in danger, and not only a device.
  var endangersPeople: Bool {
    let kinds: [AlertKind] = [
      .help, .furtherCalls, .hazard, .inHazard, .overdue, .directive, .checkIn, .checkInGroup,
      .reportGroup, .zoneRule, .duress,
    ]
    return level == .danger && kinds.contains(id.kind)
  }
}
