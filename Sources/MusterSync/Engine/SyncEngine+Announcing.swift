internal import MusterCrypto
internal import MusterModel

/// Multicast announces: sending them and processing received ones.
extension SyncEngine {
  mutating func announceIfDue() {
    defer { context.deadlines.schedule(.announce, at: announcing.next) }
    guard announcing.next <= context.now,
      announcing.advance(now: context.now, random: &context.random)
    else { return }
    let ownTopic = RecordTopic(
      operation: context.local.operation, certificate: context.local.certificate.hash,
      kind: .position)
    var announce = blankAnnounce()
    announce.roots = context.logs.roots()
    announce.heads = context.logs.namedHints()
    if announcing.takesPosition() { announce.position = records[ownTopic] }
    context.transmit(introducing(announce) ?? sealed(announce), to: .multicast(nil))
  }

  /// Returns the announce with this device's certificates, while some peer may be missing them. Nil
  /// if none does, or if they do not fit.
  private mutating func introducing(_ announce: Announce) -> [UInt8]? {
    guard announcing.takesChain() else { return nil }
    var announce = announce
    announce.chain = context.local.chain.certificates
    for leaveOut in [{ _ in }, { $0.position = nil }, { $0.heads = [] }]
      as [(inout Announce) -> Void]
    {
      leaveOut(&announce)
      let datagram = sealed(announce)
      if datagram.count <= Limits.datagramBytes { return datagram }
    }
    return nil
  }

  /// Announces soon, because a device that may not know this one is present.
  private mutating func introduceMyself() {
    announcing.noteNewcomer()
    guard limits.selfIntroductions.take(Heartbeat.resetMilliseconds, now: context.clock.now) else {
      return
    }
    quickenAnnounce()
  }

  mutating func quickenAnnounce() {
    announcing.quicken(within: Timing.announceFirstMilliseconds, now: context.now)
    context.deadlines.schedule(.announce, at: announcing.next)
  }

  /// Announces soon that what other devices wrote is stored here too.
  mutating func announceGrowth() {
    let half = Timing.announceGrowthMilliseconds / 2
    let wait = half + Int64(context.random.uniform(below: UInt64(half)))
    announcing.quicken(within: wait, now: context.now)
    context.deadlines.schedule(.announce, at: announcing.next)
  }

  mutating func blankAnnounce() -> Announce {
    Announce(
      certificate: context.local.certificate.hash.raw.prefix.high,
      incarnation: incarnation.raw.high,
      counter: announcing.nextCounter())
  }

  mutating func sealed(_ announce: Announce) -> [UInt8] {
    announce.datagram(
      rules: context.local.rulesVersion, operation: context.local.operation,
      networkKey: context.local.networkKey,
      nonce: context.random.nonce24(), signedBy: context.local.signingKey)
  }

  // MARK: Receiving

  mutating func receiveAnnounce(
    _ bytes: ArraySlice<UInt8>, by arrival: Arrival
  ) throws(WireError) {
    let endpoint = arrival.endpoint
    guard
      let unverified = try opened(bytes)
    else { return context.reject(.unauthenticated, from: endpoint) }
    let announce = unverified.announce
    guard announce.certificate != context.local.certificate.hash.raw.prefix.high else { return }
    let followsSameRules = unverified.rules == context.local.rulesVersion
    guard let (hash, certificate) = sender(of: unverified) else {
      guard followsSameRules else { return context.reject(.unknownAuthor, from: endpoint) }
      // First contact: a device with the network key whose certificate has not arrived yet.
      introduceMyself()
      return hearContact(endpoint, device: nil, at: soon())
    }
    let device = context.roster.device(of: hash) ?? certificate.device
    let isNewcomer = context.peers[device] == nil
    // Before the signature check, which costs a hundred times as much.
    guard announced.isNew(announce) else { return context.reject(.replayed, from: endpoint) }
    guard maySpendAnnounceSignature(device, at: endpoint) else {
      return context.reject(.throttled, from: endpoint)
    }
    guard unverified.isSigned(by: certificate.signingKey, sharing: context.local.findings) else {
      throw .forged("announce")
    }
    payBackAnnounceSignature(device, at: endpoint)
    let begins = announced.accept(announce)
    guard followsSameRules else {
      meet(device, certificate: hash, withOther: unverified.rules, at: endpoint)
      if isNewcomer, unverified.rules.isStated { introduceMyself() }
      return
    }
    guard meet(device, certificate: hash, at: endpoint) else { return }
    if isNewcomer { introduceMyself() }
    note(announce, of: device, by: arrival, hasRestarted: begins)
  }

  private func opened(_ bytes: ArraySlice<UInt8>) throws(WireError) -> Announce.Unverified? {
    guard let findings = context.local.findings else {
      return try Announce.Unverified(
        opening: bytes, rules: context.local.rulesVersion, operation: context.local.operation,
        networkKey: context.local.networkKey)
    }
    return try findings.announce(Array(bytes)) { bytes throws(WireError) in
      try Announce.Unverified(
        opening: bytes[...], rules: context.local.rulesVersion, operation: context.local.operation,
        networkKey: context.local.networkKey)
    }
  }

  private mutating func sender(
    of unverified: Announce.Unverified
  ) -> (hash: CertificateHash, certificate: Certificate)? {
    guard let hash = context.roster.hash(prefix: unverified.announce.certificate),
      let certificate = context.roster[hash]
    else { return introduction(of: unverified) }
    return (hash, certificate)
  }

  /// Returns the certificate that an unknown device sent along, if it is valid up to the root.
  private mutating func introduction(
    of unverified: Announce.Unverified
  ) -> (hash: CertificateHash, certificate: Certificate)? {
    let announce = unverified.announce
    guard announce.chain.first?.hash.raw.prefix.high == announce.certificate else { return nil }
    let cost = SignatureCost.milliseconds * Int64(announce.chain.count)
    guard limits.strangersSignatures.take(cost, now: context.clock.now),
      let chain = CertificateChain(
        announce.chain, operation: context.local.operation, rootKey: context.local.rootKey),
      unverified.isSigned(by: chain.leaf.certificate.signingKey, sharing: context.local.findings)
    else { return nil }
    limits.strangersSignatures.giveBack(cost)
    if unverified.rules == context.local.rulesVersion { context.learn(chain) }
    return (chain.leaf.hash, chain.leaf.certificate)
  }

  private mutating func note(
    _ announce: Announce, of device: DeviceID, by arrival: Arrival, hasRestarted: Bool
  ) {
    let endpoint = arrival.endpoint
    context.peers[device]?.presence.announced = (context.clock.now, arrival.link)
    context.peers[device]?.presence.noteWord(now: context.clock.now)
    // Its process restarted, or the device woke up: it lost its side of our session.
    if hasRestarted { probeNow(device) }
    if context.peers[device]?.sessions.isEmpty == true {
      context.peers[device]?.presence.endpoint = endpoint
    }
    for hint in announce.heads { noteHead(hint, of: device, on: nil) }
    receivePush(announce, of: device, by: arrival)
    if let position = announce.position {
      receive([position], from: device, by: arrival)
    }
    let lacks = announce.heads.contains { isLacked($0) }
    if lacks,
      context.peers[device]?.heartbeat.resets.take(
        Heartbeat.resetMilliseconds, now: context.clock.now)
        == true
    {
      quickenAnnounce()
    }
    // An announce with nothing but a position is no reason to connect.
    let isPosition = announce.roots == nil && announce.runs.isEmpty
    if !isPosition, isWanted(device) { hearContact(endpoint, device: device, at: soon()) }
    if context.peers[device]?.isReachable == true {
      frames.pulls.continuePulls(from: device, context: &context)
      if let roots = announce.roots, !lacks { compare(roots, of: device, on: nil) }
    }
    if let roots = announce.roots, roots == context.logs.roots() { announcing.noteConsistent() }
  }

  /// Returns whether a named head is missing here and not requested yet.
  private func isLacked(_ hint: LeafHint) -> Bool {
    let log = LogID(raw: hint.key)
    return context.logs.isBehind(of: log, by: UInt64(hint.number)) && frames.pulls[log] == nil
  }

  /// Returns a random time, later with more receivers of the same announce and on narrower links.
  private mutating func soon() -> Instant {
    var most = Timing.heardContactMilliseconds + 5 * Int64(context.peers.count)
    if context.outbox.links.isNarrow {
      // Which devices need a session is known once all have been received.
      most +=
        context.outbox.links.patienceMilliseconds
        * Int64(max(context.peers.count, Limits.smallMesh)) / 2
    }
    return context.now.advanced(
      byMilliseconds: 20 + Int64(context.random.uniform(below: UInt64(most))))
  }
}

/// Replay protection for announces. Counters may arrive out of order, since pushes and announces
/// take different paths.
struct HeardAnnounces: Sendable {
  private struct Life: Sendable {
    let incarnation: UInt64
    var window = ReplayWindow()
    /// Each start of the process uses another block of counters.
    var block: UInt64
  }

  /// The last few incarnations of each device, newest first.
  private var lives: [UInt64: [Life]] = [:]
  /// When each device was last received, counted in announces.
  private var heard: [UInt64: UInt64] = [:]
  private var clock: UInt64 = 0

  var count: Int { lives.values.reduce(0) { $0 + $1.count } }

  func isNew(_ announce: Announce) -> Bool {
    let known = lives[announce.certificate] ?? []
    guard let life = known.first(where: { $0.incarnation == announce.incarnation }) else {
      return true
    }
    var window = life.window
    return window.accept(announce.counter)
  }

  /// Records a new announce with a valid signature. Returns whether the sender's process restarted
  /// since the last one.
  mutating func accept(_ announce: Announce) -> Bool {
    let block = announce.counter >> 32
    clock += 1
    if lives[announce.certificate] == nil, lives.count >= Limits.announcers { forgetOldest() }
    heard[announce.certificate] = clock
    var known = lives.removeValue(forKey: announce.certificate) ?? []
    defer { lives[announce.certificate] = known }
    guard let index = known.firstIndex(where: { $0.incarnation == announce.incarnation }) else {
      var life = Life(incarnation: announce.incarnation, block: block)
      _ = life.window.accept(announce.counter)
      known.insert(life, at: 0)
      if known.count > Limits.livesPerAnnouncer { known.removeLast() }
      return known.count > 1
    }
    _ = known[index].window.accept(announce.counter)
    guard block > known[index].block else { return false }
    known[index].block = block
    return true
  }

  private mutating func forgetOldest() {
    guard let oldest = heard.min(by: { ($0.value, $0.key) < ($1.value, $1.key) })?.key else {
      return
    }
    heard[oldest] = nil
    lives[oldest] = nil
  }
}
