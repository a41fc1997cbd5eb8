internal import MusterCrypto
internal import MusterModel

/// Multicast announces: sends those of this device, and authenticates received ones.
struct Announcer: Sendable {
  private var timer: AnnounceTimer
  private var replayWindow = AnnounceReplayWindow()
  /// The incarnation under which this device announces.
  var incarnation: Incarnation
  /// Limits signatures of announces from addresses that are not those of their device.
  private var strangersSignatures: RateLimiter
  /// Limits announces because an unknown or new device is present.
  private var selfIntroductions: RateLimiter

  /// - Parameter counter: greater than any that this incarnation has used before.
  init(incarnation: Incarnation, counter: UInt64, now: Instant) {
    self.incarnation = incarnation
    timer = AnnounceTimer(counter: counter, now: now)
    strangersSignatures = RateLimiter(
      saving: SignatureCost.milliseconds * SignatureCost.burst, now: now)
    selfIntroductions = RateLimiter(saving: Heartbeat.resetMilliseconds * 8, now: now)
  }

  /// When the next announce is due.
  var next: Instant { timer.next }

  /// Lets the next announces carry a new record of this device.
  mutating func note(_ own: LatestRecord) { timer.note(own.kind) }

  /// Counts an announce of another device with the same roots.
  mutating func noteConsistent() { timer.noteConsistent() }

  /// Announces at once, after a network change or a suspension.
  mutating func reset(context: inout Context) {
    timer.reset(now: context.now)
    context.deadlines.schedule(.announce, at: context.now)
  }

  /// - Parameter frames: knows those that all receivers are asked for.
  mutating func announceIfDue(
    _ records: RecordCache, frames: inout FrameReceiver, context: inout Context
  ) {
    // What waits for the link is not sealed: it states what is stored when the link opens.
    if timer.next <= context.now,
      let opens = context.outbox.links.opensAt(nil, now: context.now)
        ?? context.outbox.links.commonOpensAt(crowd: context.peers.crowd, now: context.now)
    {
      return context.deadlines.schedule(.announce, at: opens)
    }
    defer { context.deadlines.schedule(.announce, at: timer.next) }
    guard timer.next <= context.now,
      timer.advance(now: context.now, random: &context.random)
    else { return }
    var announce = blank(context: &context)
    announce.roots = context.logs.roots()
    announce.heads = context.logs.namedHints()
    if context.narrowness > 0 {
      // On a narrow link most devices never compare roots with this one.
      let own = context.logs.hints(by: context.local.certificate.hash)
      announce.heads += own.filter { !announce.heads.contains($0) }
      announce.wants = frames.pulls.takeRequestsToAll(context: context)
    }
    if let kind = timer.takesRecord() { add(kind, of: records, to: &announce, context: context) }
    let datagram = fitting(announce, context: &context)
    context.outbox.links.takeCommon(datagram.count, now: context.now)
    context.transmit(datagram, to: .multicast(nil))
  }

  /// Adds a record of this device, with the devices that are received: where many share a link and
  /// a full queue dropped its first multicast, each receiver would relay it otherwise.
  private func add(
    _ kind: RecordKind, of records: RecordCache, to announce: inout Announce, context: Context
  ) {
    let topic = RecordTopic(
      operation: context.local.operation, certificate: context.local.certificate.hash, kind: kind)
    announce.record = records[topic]
    guard announce.record != nil, context.narrowness > 0 else { return }
    let tags = context.peers.devices.filter { context.reception(of: $0) != nil }
      .map { DeviceTag($0, about: topic.raw) }.sorted()
    announce.covered = Set(tags.prefix(Self.mostCovered))
    announce.covered.insert(DeviceTag(context.local.device, about: topic.raw))
  }

  /// With roots, heads and a record, so many fit a datagram.
  private static let mostCovered = 200

  /// Returns the announce as a datagram: with this device's certificates, while some peer may be
  /// missing them, and without what does not fit beside them.
  private mutating func fitting(_ whole: Announce, context: inout Context) -> [UInt8] {
    var announce = whole
    if timer.takesChain() { announce.chain = context.local.chain.certificates }
    for leaveOut in [
      { _ in }, { $0.covered = [] }, { $0.record = nil }, { $0.wants = [] }, { $0.heads = [] },
      { $0 = whole },
      { $0.covered = [] },
    ] as [(inout Announce) -> Void] {
      leaveOut(&announce)
      let datagram = sealed(announce, context: &context)
      if datagram.count <= Limits.datagramBytes { return datagram }
    }
    preconditionFailure("no announce fits a datagram")
  }

  /// Announces soon, because a device that may not know this one is present.
  mutating func introduce(context: inout Context) {
    timer.noteNewcomer()
    guard selfIntroductions.take(Heartbeat.resetMilliseconds, now: context.clock.now) else {
      return
    }
    quicken(context: &context)
  }

  /// Announces soon, and several times more at intervals that double: from one in which the
  /// announces of all devices would take a part of the links' capacity.
  mutating func quicken(context: inout Context) {
    let crowd = context.outbox.links.airtimeMilliseconds(of: context.peers.crowd)
    let interval = min(
      max(Timing.announceFirstMilliseconds, Timing.shareOfCrowd * crowd),
      Timing.announceLastMilliseconds)
    timer.quicken(
      within: Timing.announceFirstMilliseconds, from: interval, now: context.now)
    context.deadlines.schedule(.announce, at: timer.next)
  }

  /// Announces soon that what other devices wrote is stored here too: later where the announces of
  /// all receivers take long.
  mutating func quickenForGrowth(context: inout Context) {
    let crowd = context.outbox.links.airtimeMilliseconds(of: context.peers.crowd)
    let half = max(Timing.announceGrowthMilliseconds, Timing.shareOfCrowd * crowd) / 2
    let wait = half + Int64(context.random.uniform(below: UInt64(half)))
    timer.quicken(within: wait, from: nil, now: context.now)
    context.deadlines.schedule(.announce, at: timer.next)
  }

  mutating func blank(context: inout Context) -> Announce {
    Announce(
      certificate: context.local.certificate.hash.raw.prefix.high,
      incarnation: incarnation.raw.high,
      counter: timer.nextCounter())
  }

  mutating func sealed(_ announce: Announce, context: inout Context) -> [UInt8] {
    announce.datagram(
      rules: context.local.rulesVersion, operation: context.local.operation,
      networkKey: context.local.networkKey,
      nonce: context.random.nonce24(), signedBy: context.local.signingKey)
  }

  // MARK: Receiving

  /// The device that signed an announce.
  struct Sender {
    let device: DeviceID
    let certificate: CertificateHash
    /// Whether nothing was known of it before.
    let isNewcomer: Bool
  }

  /// What an announce shows.
  enum ReceivedAnnounce {
    /// A device with the network key whose certificate has not arrived yet: when to contact it.
    case stranger(contact: Instant)
    case otherRules(RulesVersion, Sender)
    case announce(Announce, Sender, hasRestarted: Bool)
  }

  /// Authenticates an announce.
  ///
  /// - Returns: what it shows; nil if it is dropped.
  mutating func authenticate(
    _ bytes: ArraySlice<UInt8>, by arrival: Arrival, context: inout Context
  ) throws(WireError) -> ReceivedAnnounce? {
    let endpoint = arrival.endpoint
    guard let unverified = try opened(bytes, context: &context) else {
      context.reject(.unauthenticated, from: endpoint)
      return nil
    }
    let announce = unverified.announce
    guard announce.certificate != context.local.certificate.hash.raw.prefix.high else { return nil }
    let followsSameRules = unverified.rules == context.local.rulesVersion
    guard let (hash, certificate) = sender(of: unverified, context: &context) else {
      guard followsSameRules else {
        context.reject(.unknownAuthor, from: endpoint)
        return nil
      }
      // First contact: a device with the network key whose certificate has not arrived yet.
      introduce(context: &context)
      context.outbox.links.noteHeard(bytes.count, on: arrival.link, now: context.now)
      return .stranger(contact: soon(context: &context))
    }
    let device = context.roster.device(of: hash) ?? certificate.device
    let isNewcomer = context.peers[device] == nil
    // Before the signature check, which costs a hundred times as much.
    guard replayWindow.isNew(announce) else {
      context.reject(.replayed, from: endpoint)
      return nil
    }
    guard maySpendAnnounceSignature(device, at: endpoint, context: &context) else {
      context.reject(.throttled, from: endpoint)
      return nil
    }
    guard unverified.isSigned(by: certificate.signingKey, sharing: context.local.findings) else {
      throw .forged("announce")
    }
    payBackAnnounceSignature(device, at: endpoint, context: &context)
    let hasRestarted = replayWindow.accept(announce)
    let sender = Sender(device: device, certificate: hash, isNewcomer: isNewcomer)
    context.outbox.links.noteHeard(bytes.count, on: arrival.link, now: context.now)
    return followsSameRules
      ? .announce(announce, sender, hasRestarted: hasRestarted)
      : .otherRules(unverified.rules, sender)
  }

  private func opened(_ bytes: ArraySlice<UInt8>, context: inout Context) throws(WireError)
    -> Announce.Unverified?
  {
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
    of unverified: Announce.Unverified, context: inout Context
  ) -> (hash: CertificateHash, certificate: Certificate)? {
    guard let hash = context.roster.hash(prefix: unverified.announce.certificate),
      let certificate = context.roster[hash]
    else { return introduction(of: unverified, context: &context) }
    return (hash, certificate)
  }

  /// Returns the certificate that an unknown device sent along, if it is valid up to the root.
  private mutating func introduction(
    of unverified: Announce.Unverified, context: inout Context
  ) -> (hash: CertificateHash, certificate: Certificate)? {
    let announce = unverified.announce
    guard announce.chain.first?.hash.raw.prefix.high == announce.certificate else { return nil }
    let cost = SignatureCost.milliseconds * Int64(announce.chain.count)
    guard strangersSignatures.take(cost, now: context.clock.now),
      let chain = CertificateChain(
        announce.chain, operation: context.local.operation, rootKey: context.local.rootKey),
      unverified.isSigned(by: chain.leaf.certificate.signingKey, sharing: context.local.findings)
    else { return nil }
    strangersSignatures.giveBack(cost)
    if unverified.rules == context.local.rulesVersion { context.learn(chain) }
    return (chain.leaf.hash, chain.leaf.certificate)
  }

  /// Returns a random time, later with more receivers of the same announce and on narrower links.
  mutating func soon(context: inout Context) -> Instant {
    let most = context.longestContactMilliseconds
    return context.now.advanced(
      byMilliseconds: 20 + Int64(context.random.uniform(below: UInt64(most))))
  }

  /// Charges for the signature of an announce, which is its only authentication. Announces from a
  /// known address of their device are charged to that device; all others share one rate limit.
  private mutating func maySpendAnnounceSignature(
    _ device: DeviceID, at endpoint: Endpoint, context: inout Context
  ) -> Bool {
    isAt(endpoint, device, context: &context)
      ? context.maySpendSignature(device)
      : strangersSignatures.take(SignatureCost.milliseconds, now: context.clock.now)
  }

  private mutating func payBackAnnounceSignature(
    _ device: DeviceID, at endpoint: Endpoint, context: inout Context
  ) {
    if isAt(endpoint, device, context: &context) {
      context.payBackSignature(device)
    } else {
      strangersSignatures.giveBack(SignatureCost.milliseconds)
    }
  }

  private func isAt(_ endpoint: Endpoint, _ device: DeviceID, context: inout Context) -> Bool {
    context.peers[device]?.presence.endpoint == endpoint
  }

  func checkInvariants() {
    precondition(
      replayWindow.count <= Limits.announcers * Limits.incarnationsPerAnnouncer,
      "\(replayWindow.count) incarnations of announcers")
  }
}
