public import MusterModel

/// Connection attempts to known addresses. They are retried indefinitely at a low rate, and share
/// one rate limit, so that a hundred absent laptops cost little for those that are present.
extension SyncEngine {
  /// The addresses that are being tried, for an engine that takes over.
  public var contactEndpoints: [Endpoint] { contacts.endpoints }

  /// Adds an address that the user configured or that was restored.
  mutating func addContact(_ endpoint: Endpoint) {
    if contacts.addConfigured(endpoint, now: context.now) { tryContacts() }
  }

  /// Tries the source address of an announce, or one that a peer reported, which may be forged.
  mutating func hearContact(_ endpoint: Endpoint, device: DeviceID?, at moment: Instant) {
    guard contacts.addHint(endpoint, device: device) else { return }
    if let device, context.peers[device]?.isReachable == true { return }
    // On a narrow link the first drawn time stays: the minimum of many draws would be too early.
    if context.outbox.links.isNarrow, contacts[endpoint]?.nextAttempt != Contact.never { return }
    contacts[endpoint]?.hasten(to: moment)
    context.deadlines.schedule(.contacts, at: moment)
  }

  /// Tries every address of a device at once.
  mutating func call(_ device: DeviceID) {
    contacts.hasten(device, to: context.now)
    tryContacts()
  }

  /// Retries all contacts after a network change or a suspension.
  mutating func retryEverybody() {
    limits.calls.fill()
    contacts.hastenAll(to: context.now)
    announcer.reset(context: &context)
    for device in context.peers.connected {
      context.outbox.flows[device]?.changePath()
      context.outbox.touch(device)
      context.peers[device]?.heartbeat.quicken(now: context.clock.now)
      probeNow(device)
    }
    tryContacts()
  }

  mutating func tryContacts() {
    for (endpoint, contact) in contacts.due(at: context.now) { attempt(contact, at: endpoint) }
    if let next = contacts.nextAttempt { context.deadlines.schedule(.contacts, at: next) }
  }

  private mutating func attempt(_ due: Contact, at endpoint: Endpoint) {
    var contact = due
    defer { contacts[endpoint] = contact }
    if let device = contact.device, context.peers[device]?.isReachable == true || !isWanted(device)
    {
      contact.backoffMilliseconds = Timing.contactFirstMilliseconds
      contact.nextAttempt = Contact.never
      return
    }
    if let later = contact.device.flatMap(momentOfCall) {
      contact.nextAttempt = later
      return
    }
    if contact.attemptsLeft == 0 { return contacts.forget(endpoint) }
    let isFirst = contact.backoffMilliseconds == Timing.contactFirstMilliseconds
    let isLonely = !context.peers.connected.contains { context.peers[$0]?.isReachable == true }
    let cost =
      isFirst || isLonely ? Timing.lonelyCallMilliseconds : Timing.callMilliseconds
    let reserve = isInRange(contact) ? 0 : Timing.callReserveMilliseconds
    guard limits.calls.take(cost, leaving: reserve, now: context.clock.now) else {
      contact.nextAttempt = limits.calls.moment(of: cost, leaving: reserve, now: context.clock.now)
      return
    }
    if let left = contact.attemptsLeft { contact.attemptsLeft = left - 1 }
    // Up to 25 % jitter, so that nodes that lost each other do not retry simultaneously.
    let jitter = Int64(context.random.uniform(below: UInt64(contact.backoffMilliseconds / 4)))
    contact.nextAttempt = context.now.advanced(
      byMilliseconds: contact.backoffMilliseconds + jitter + 2
        * context.outbox.links.patienceMilliseconds)
    contact.lastAttempt = context.now
    contact.backoffMilliseconds = min(
      contact.backoffMilliseconds * 2, Timing.contactLastMilliseconds)
    contacts[endpoint] = contact
    initiate(to: endpoint)
  }

  /// Returns whether an announce came from the contact lately, so that an attempt is likely to
  /// succeed.
  private func isInRange(_ contact: Contact) -> Bool {
    guard let device = contact.device else { return contact.attemptsLeft != nil }
    guard let announced = context.peers[device]?.presence.announced?.at else { return false }
    return context.now.milliseconds(since: announced) <= Timing.announceLastMilliseconds
  }

  /// Returns whether a session with a device is needed. In a large mesh with multicast not all
  /// pairs keep one: each device connects to those 1, 2, 4, 8 … positions after it in the ring of
  /// received devices, which joins all over few hops, and to devices that hold data it is missing.
  /// On a narrow link it connects to those at 1, 4, 16 … positions only.
  mutating func isWanted(_ device: DeviceID) -> Bool {
    guard context.peers[device]?.sessions.isEmpty == true,
      context.announcesServe(since: context.peers[device]?.presence.announced?.at)
    else { return true }
    if let until = context.peers[device]?.topology.offPathUntil, context.now < until {
      return !context.outbox.links.isNarrow && lacksSomething(of: device)
    }
    var (heard, place) = (0, 0)
    let isAfter = device > context.local.device
    for other in context.peers.devices
    where context.announcesServe(since: context.peers[other]?.presence.announced?.at) {
      heard += 1
      let isAfterOwn = other > context.local.device
      if isAfter ? isAfterOwn && other <= device : isAfterOwn || other <= device { place += 1 }
    }
    if heard <= (context.outbox.links.isNarrow ? Limits.smallMeshOnNarrowLinks : Limits.smallMesh) {
      return true
    }
    let isOnPath = place & (place - 1) == 0
    if !isOnPath {
      context.peers[device]?.topology.offPathUntil = context.clock.now.advanced(
        byMilliseconds: Timing.placeMilliseconds)
    }
    guard !context.outbox.links.isNarrow else {
      return isOnPath && place.trailingZeroBitCount.isMultiple(of: 2)
    }
    return isOnPath || lacksSomething(of: device)
  }

  private func lacksSomething(of device: DeviceID) -> Bool {
    guard let known = context.peers[device]?.holdings.logs else { return false }
    return known.contains { context.logs.isBehind(of: $0.key, by: $0.value.sequence) }
  }
}
