internal import MusterModel

/// The devices of a person, by what their evidence may show.
struct DeviceContacts {
  /// Devices that are with the person, including revoked ones.
  let withPerson: [StatusDevice]
  /// Those of them that are not revoked.
  let trusted: [StatusDevice]
  /// Those of them that were received from within the silence setting.
  let inContact: [StatusDevice]
  /// Whether the person has devices, and all are revoked.
  let isRevoked: Bool
  /// The last evidence of contact, and whether a wall clock contradicts it.
  let lastSign: (received: Span?, clockDiffers: Bool)
  /// The times at which devices in contact reach the silence setting.
  let silences: [Int64]

  init(_ person: PersonEvidence, at clock: StatusClock) {
    let away = Self.away(person.statements.accountings)
    withPerson = person.devices.filter { !away.contains($0.id) }
    trusted = withPerson.filter { !$0.isRevoked }
    isRevoked = !person.devices.isEmpty && person.devices.allSatisfy(\.isRevoked)
    let moments = trusted.compactMap { device in
      device.received.map { (device, $0.moment(at: clock)) }
    }
    let silence = person.silenceMilliseconds + person.unpublishedMilliseconds
    let contacts = moments.filter { clock.boot - $0.1.earliest <= silence }
    inContact = contacts.map(\.0)
    silences = contacts.map { $0.1.earliest + silence + 1 }
    let speakers = moments.isEmpty ? withPerson : trusted
    lastSign = Self.lastSign(of: speakers, at: clock)
  }

  /// Returns the devices that are not with the person. If commanders disagree, a device is with the
  /// person.
  private static func away(_ accountings: [AccountingEvidence]) -> Set<DeviceID> {
    guard var away = accountings.first?.away else { return [] }
    for accounting in accountings.dropFirst() { away.formIntersection(accounting.away) }
    return away
  }

  /// Returns the evidence with the lowest upper bound of its age.
  private static func lastSign(
    of devices: [StatusDevice], at clock: StatusClock
  ) -> (received: Span?, clockDiffers: Bool) {
    var last: (received: Span, clockDiffers: Bool)?
    for evidence in devices.compactMap(\.received) {
      let received = evidence.moment(at: clock)
      let key = (received.earliest, received.latest)
      if let last, (last.received.earliest, last.received.latest) >= key { continue }
      last = (received, evidence.clockDiffers(at: clock))
    }
    return (last?.received, last?.clockDiffers ?? false)
  }

  /// Returns the newest usable fix of any trusted device, by the time of its report.
  func newestFix(at clock: StatusClock) -> FixEvidence? {
    var best: (key: (Int64, Int64, DeviceID), fix: FixEvidence)?
    for device in trusted {
      guard let fix = device.history.newest else { continue }
      let made = fix.made.moment(at: clock)
      let key = (made.latest, made.earliest, device.id)
      if let best, best.key >= key { continue }
      best = (key, fix)
    }
    return best?.fix
  }
}
