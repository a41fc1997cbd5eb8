public import MusterModel

/// The addresses that are tried: for ever, but seldom, and all together within an allowance, so
/// that a hundred laptops that are away do not cost those that are here.
extension SyncEngine {
  /// The addresses that are being tried, to be handed to an engine that takes over.
  public var contactEndpoints: [Endpoint] { contacts.keys.sorted() }

  /// An address that the user gave, or that is remembered.
  mutating func addContact(_ endpoint: Endpoint) {
    if contacts[endpoint] == nil, contacts.count >= Limits.peers { forgetHeardContact() }
    guard contacts[endpoint] != nil || contacts.count < Limits.peers else { return }
    contacts[endpoint, default: Contact(nextAttempt: now)].attemptsLeft = nil
    tryContacts()
  }

  /// The source of an announce, or an address that a peer told: anybody may have forged it. Few of
  /// them are kept, and each is tried a few times, so that a recorded announce moves little and
  /// crowds nobody out.
  mutating func hearContact(_ endpoint: Endpoint, device: DeviceID?, at moment: Instant) {
    if contacts[endpoint] != nil {
      if let device, contacts[endpoint]?.attemptsLeft != nil || contacts[endpoint]?.device == nil {
        contacts[endpoint]?.device = device
      }
    } else {
      let heard = contacts.filter { $0.value.attemptsLeft != nil }
      guard heard.count < Limits.heardContacts, contacts.count < Limits.peers,
        device == nil
          || heard.values.count(where: { $0.device == device }) < Limits.endpointsPerDevice
      else { return }
      contacts[endpoint] = Contact(
        device: device, nextAttempt: Contact.never, attemptsLeft: Timing.heardContactAttempts)
    }
    if let device, peers[device]?.isReachable == true { return }
    // On a narrow link the first moment drawn stands, or the least of many would be soon.
    if outbox.links.isNarrow, contacts[endpoint]?.nextAttempt != Contact.never { return }
    contacts[endpoint]?.hasten(to: moment)
    deadlines.schedule(.contacts, at: moment)
  }

  /// A device proved to be at this address.
  mutating func prove(_ endpoint: Endpoint, of device: DeviceID) {
    guard !endpoint.isUplink || contacts[endpoint] != nil else { return }
    if contacts[endpoint] == nil, contacts.count >= Limits.peers { forgetHeardContact() }
    guard contacts[endpoint] != nil || contacts.count < Limits.peers else { return }
    contacts[endpoint, default: Contact(nextAttempt: Contact.never)].device = device
    contacts[endpoint]?.attemptsLeft = nil
  }

  private mutating func forgetHeardContact() {
    let heard = contacts.filter { $0.value.attemptsLeft != nil }.keys.min()
    if let heard { contacts[heard] = nil }
  }

  /// Every address of a device is tried at once.
  mutating func call(_ device: DeviceID) {
    for endpoint in contacts.keys where contacts[endpoint]?.device == device {
      contacts[endpoint]?.hasten(to: now)
    }
    tryContacts()
  }

  /// The network is another one, or time was slept through.
  mutating func retryEverybody() {
    calls.fill()
    for endpoint in contacts.keys { contacts[endpoint]?.hasten(to: now) }
    announcing.reset(now: now)
    deadlines.schedule(.announce, at: now)
    for device in connected {
      outbox.flows[device]?.changePath()
      outbox.touch(device)
      peers[device]?.quicken(now: now)
      probeNow(device)
    }
    tryContacts()
  }

  mutating func tryContacts() {
    let due = contacts.filter { $0.value.nextAttempt <= now }.sorted { left, right in
      let first = left.value.lastAttempt ?? Instant(microseconds: .min)
      let second = right.value.lastAttempt ?? Instant(microseconds: .min)
      return (first, left.key) < (second, right.key)
    }
    for (endpoint, contact) in due { attempt(contact, at: endpoint) }
    if let next = contacts.values.map(\.nextAttempt).min(), next != Contact.never {
      deadlines.schedule(.contacts, at: next)
    }
  }

  private mutating func attempt(_ due: Contact, at endpoint: Endpoint) {
    var contact = due
    defer { if contacts[endpoint] != nil { contacts[endpoint] = contact } }
    if let device = contact.device, peers[device]?.isReachable == true || !isWanted(device) {
      contact.backoffMilliseconds = Timing.contactFirstMilliseconds
      contact.nextAttempt = Contact.never
      return
    }
    if let later = contact.device.flatMap(momentOfCall) {
      contact.nextAttempt = later
      return
    }
    if contact.attemptsLeft == 0 {
      contacts[endpoint] = nil
      return
    }
    let isFirst = contact.backoffMilliseconds == Timing.contactFirstMilliseconds
    let isLonely = !connected.contains { peers[$0]?.isReachable == true }
    let cost =
      isFirst || isLonely ? Timing.lonelyCallMilliseconds : Timing.callMilliseconds
    guard calls.take(cost, now: now) else {
      contact.nextAttempt = calls.moment(of: cost, now: now)
      return
    }
    if let left = contact.attemptsLeft { contact.attemptsLeft = left - 1 }
    // A quarter of jitter, so that nodes that lost each other do not answer in step.
    let jitter = Int64(random.uniform(below: UInt64(contact.backoffMilliseconds / 4)))
    contact.nextAttempt = now.advanced(
      byMilliseconds: contact.backoffMilliseconds + jitter + 2 * outbox.links.patienceMilliseconds)
    contact.lastAttempt = now
    contact.backoffMilliseconds = min(
      contact.backoffMilliseconds * 2, Timing.contactLastMilliseconds)
    contacts[endpoint] = contact
    initiate(to: endpoint)
  }

  /// In a large mesh that hears itself a session with everybody would be too many: each keeps one
  /// with those who stand 1, 2, 4, 8 … places after it in the circle of those it hears, so that all
  /// are joined over few hops; and with whoever holds what it lacks. On a narrow link it is those
  /// at 1, 4, 16 … places, and nobody else.
  mutating func isWanted(_ device: DeviceID) -> Bool {
    guard peers[device]?.sessions.isEmpty == true,
      announcesServe(since: peers[device]?.announced?.at)
    else { return true }
    if let until = peers[device]?.offPathUntil, now < until {
      return !outbox.links.isNarrow && lacksSomething(of: device)
    }
    var (heard, place) = (0, 0)
    let isAfter = device > local.device
    for other in met where announcesServe(since: peers[other]?.announced?.at) {
      heard += 1
      let isAfterOwn = other > local.device
      if isAfter ? isAfterOwn && other <= device : isAfterOwn || other <= device { place += 1 }
    }
    if heard <= (outbox.links.isNarrow ? Limits.smallMeshOnNarrowLinks : Limits.smallMesh) {
      return true
    }
    let isOnPath = place & (place - 1) == 0
    if !isOnPath {
      peers[device]?.offPathUntil = now.advanced(byMilliseconds: Timing.placeMilliseconds)
    }
    guard !outbox.links.isNarrow else {
      return isOnPath && place.trailingZeroBitCount.isMultiple(of: 2)
    }
    return isOnPath || lacksSomething(of: device)
  }

  private func lacksSomething(of device: DeviceID) -> Bool {
    guard let known = peers[device]?.known else { return false }
    return known.contains { isBehind(of: $0.key, by: $0.value.sequence) }
  }
}
