internal import MusterModel

/// Connection attempts to known addresses. They are retried indefinitely at a low rate, and share
/// one rate limit, so that a hundred absent laptops cost little for those that are present.
struct Connector: Sendable {
  var book = AddressBook()
  private var calls: RateLimiter

  init(now: Instant) {
    calls = RateLimiter(saving: Timing.callMilliseconds * Timing.callBurst, now: now)
  }

  /// Lets every address be tried at once, after a network change or a suspension.
  mutating func hastenAll(to moment: Instant) {
    calls.fill()
    book.hastenAll(to: moment)
  }

  /// Tries the source address of an announce, or one that a peer reported, which may be forged.
  mutating func addHint(
    _ endpoint: Endpoint, device: DeviceID?, at moment: Instant, context: inout Context
  ) {
    guard book.addHint(endpoint, device: device) else { return }
    if let device, context.peers[device]?.isReachable == true { return }
    // The first drawn time stays: the minimum of many draws would be too early.
    let longest = context.now.advanced(byMilliseconds: context.longestContactMilliseconds)
    if let next = book[endpoint]?.nextAttempt, next > context.now, next <= longest { return }
    book[endpoint]?.hasten(to: moment)
    context.deadlines.schedule(.contacts, at: moment)
  }

  /// Adds the addresses of devices whose photos are fetched: on a narrow link their next announce
  /// may be minutes away.
  mutating func addSought(context: inout Context) {
    context.peers.endSearches(at: context.now)
    for device in context.peers.sought.keys.sorted() {
      guard let peer = context.peers[device], peer.sessions.isEmpty else { continue }
      addHint(
        peer.presence.endpoint, device: device, at: context.now.advanced(byMicroseconds: 1),
        context: &context)
    }
  }

  /// Prepares an attempt at an address that is due.
  ///
  /// - Returns: whether a handshake is to begin.
  mutating func attempt(_ due: Contact, at endpoint: Endpoint, context: inout Context) -> Bool {
    var contact = due
    defer { book[endpoint] = contact }
    if let device = contact.device,
      context.peers[device]?.isReachable == true || !isWanted(device, context: &context)
    {
      contact.backoffMilliseconds = Timing.contactFirstMilliseconds
      contact.nextAttempt = Contact.never
      return false
    }
    if let later = contact.device.flatMap({ momentOfCall($0, context: &context) }) {
      contact.nextAttempt = later
      return false
    }
    if let device = contact.device, isReceivedInSilence(device, at: endpoint, context: context) {
      contact.nextAttempt = context.now.advanced(byMilliseconds: Timing.receivedCallMilliseconds)
      return false
    }
    if contact.attemptsLeft == 0 {
      book.forget(endpoint)
      return false
    }
    // A handshake that waits for the link would be older than its answer.
    let ready = context.outbox.links.nextReady(now: context.now)
    let common =
      endpoint.isUplink
      ? nil : context.outbox.links.commonOpensAt(crowd: context.peers.crowd, now: context.now)
    if let ready = [ready, common].compactMap(\.self).max(), ready > context.now {
      contact.nextAttempt = ready.advanced(byMicroseconds: 1)
      return false
    }
    let isFirst = contact.backoffMilliseconds == Timing.contactFirstMilliseconds
    let isLonely = !context.peers.connected.contains { context.peers[$0]?.isReachable == true }
    let cost =
      isFirst || isLonely ? Timing.lonelyCallMilliseconds : Timing.callMilliseconds
    let reserve = isInRange(contact, context: &context) ? 0 : Timing.callReserveMilliseconds
    guard calls.take(cost, leaving: reserve, now: context.clock.now) else {
      contact.nextAttempt = calls.moment(of: cost, leaving: reserve, now: context.clock.now)
      return false
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
    book[endpoint] = contact
    return true
  }

  /// Whether a peer that does not answer is still received by multicast from the address of its
  /// session, and did not restart. Then its session stands, and what is lost is lost in a full
  /// queue, which a new handshake would only fill.
  private func isReceivedInSilence(
    _ device: DeviceID, at endpoint: Endpoint, context: Context
  ) -> Bool {
    guard context.reception(of: device)?.isRecent == true,
      context.peers[device]?.presence.hasRestarted == false,
      let session = context.liveSession(of: device).flatMap({ context.sessions[$0] })
    else { return false }
    return session.endpoint == endpoint
      && context.now.milliseconds(since: session.lastReceived) < Timing.silenceMilliseconds
  }

  /// Returns whether an announce came from the contact lately, so that an attempt is likely to
  /// succeed.
  private func isInRange(_ contact: Contact, context: inout Context) -> Bool {
    guard let device = contact.device else { return contact.attemptsLeft != nil }
    guard let announced = context.peers[device]?.presence.announced?.at else { return false }
    return context.now.milliseconds(since: announced) <= Timing.announceLastMilliseconds
  }

  /// Returns whether a session with a device is needed. In a large mesh with multicast not all
  /// pairs keep one: each device connects to those 1, 2, 4, 8 … positions after it in the ring of
  /// received devices, which joins all over few hops, and to devices that hold data it is missing.
  /// On the narrowest links it connects to those at 1, 4, 16 … positions only, and on others to a
  /// part of the rest that grows with their rate.
  mutating func isWanted(_ device: DeviceID, context: inout Context) -> Bool {
    guard context.peers[device]?.sessions.isEmpty == true,
      context.announcesServe(since: context.peers[device]?.presence.announced?.at)
    else { return true }
    if let until = context.peers.sought[device], context.now < until { return true }
    if let until = context.peers[device]?.topology.offPathUntil, context.now < until {
      return hasRoom(for: device, context: context)
        && isMissingFrames(of: device, context: &context)
    }
    var (received, place) = (0, 0)
    let isAfter = device > context.local.device
    for other in context.peers.devices
    where context.announcesServe(since: context.peers[other]?.presence.announced?.at) {
      received += 1
      let isAfterOwn = other > context.local.device
      if isAfter ? isAfterOwn && other <= device : isAfterOwn || other <= device { place += 1 }
    }
    let fewer = Int64(Limits.smallMesh - Limits.smallMeshOnNarrowLinks) * context.narrowness / 1000
    if received <= Limits.smallMesh - Int(fewer) { return true }
    let isOnPath = place & (place - 1) == 0
    if !isOnPath {
      context.peers[known: device].topology.offPathUntil = context.clock.now.advanced(
        byMilliseconds: Timing.placeMilliseconds)
    }
    if isOnPath, place.trailingZeroBitCount.isMultiple(of: 2) { return true }
    return hasRoom(for: device, context: context)
      && (isOnPath || isMissingFrames(of: device, context: &context))
  }

  /// Whether a link has room for a session with a device that is not among the fewest: with a part
  /// of all devices that shrinks with the narrowness of the links.
  func hasRoom(for device: DeviceID, context: Context) -> Bool {
    let mixed = (device.raw.high ^ context.local.device.raw.high) &* 0x9E37_79B9_7F4A_7C15
    return Int64((mixed >> 32) % 1000) >= context.narrowness
  }

  private func isMissingFrames(of device: DeviceID, context: inout Context) -> Bool {
    guard let known = context.peers[device]?.holdings.logs else { return false }
    return known.contains { context.logs.isBehind(of: $0.key, by: $0.value.sequence) }
  }

  /// Returns when to contact a device with another rules version again; nil if that is now.
  func momentOfCall(_ device: DeviceID, context: inout Context) -> Instant? {
    guard let next = context.peers[device]?.topology.otherRules?.nextTry, context.now < next else {
      return nil
    }
    return next
  }

  /// Handles a handshake with this device itself. The address is its own, or an attacker reflects
  /// its datagrams, which must not remove an address that the user configured.
  mutating func noteOwnAddress(at endpoint: Endpoint, context: inout Context) {
    guard book[endpoint] != nil, book[endpoint]?.attemptsLeft == nil else {
      book.forget(endpoint)
      return
    }
    book[endpoint]?.backoffMilliseconds = Timing.contactLastMilliseconds
    book[endpoint]?.nextAttempt = context.clock.now.advanced(
      byMilliseconds: Timing.ownAddressMilliseconds)
  }

  /// Returns whether a device that authenticated from an address was received recently, so that a
  /// missing answer indicates loss.
  func isAbout(_ endpoint: Endpoint, context: inout Context) -> Bool {
    guard book.isProved(endpoint), let device = book[endpoint]?.device,
      let peer = context.peers[device]
    else { return false }
    return context.now.milliseconds(since: peer.presence.lastReceived) < Timing.aboutMilliseconds
  }

  /// Probes the same session over other addresses of the device. The path of the answer is used.
  mutating func probeOtherPaths(to device: DeviceID, context: inout Context) {
    guard let index = context.liveSession(of: device), let session = context.sessions[index] else {
      return
    }
    var packet = Packet()
    packet.roots = context.logs.roots()
    packet.answer = true
    let others = book.others(of: device, than: session.endpoint)
    for endpoint in others.prefix(Limits.endpointsPerDevice) {
      if let left = book[endpoint]?.attemptsLeft {
        guard left > 0 else { continue }
        book[endpoint]?.attemptsLeft = left - 1
      }
      context.transmit(packet, on: index, to: .endpoint(endpoint, .unknown))
    }
  }
}
