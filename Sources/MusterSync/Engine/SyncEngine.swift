internal import MusterCrypto
public import MusterModel

/// The synchronization engine: decides what to send to which peer. Sans-I/O: it has no socket,
/// clock or disk. The node drives it with real ones, the simulator with virtual ones.
///
///     datagram ─▶ authenticate ─▶ runs ──▶ verify chain and signature ──▶ store ─▶ relay
///                              ├─▶ roots, digest ─▶ differences ─▶ want
///                              ├─▶ want ─▶ fetch ─▶ runs
///                              └─▶ records, keys, joins
///
/// - One input, one ordered list of effects. A `store` precedes the `send` that acknowledges it.
/// - `nextDeadline` is the earliest time at which it requires `deadlinePassed`.
/// - It stores and forwards every verified frame of an author in the roster, whatever it contains.
///   It knows heads, not contents.
/// - Nothing depends on the order of a dictionary; every table has a bound in `Limits`.
///
/// Not here: decryption of contents, permissions, the view, files.
public struct SyncEngine: Sendable {
  /// What all parts share.
  var context: Context

  var records = RecordExchange()
  var keys = EpochKeyring()
  var evidence = EvidenceExchange()
  var blobs = BlobExchange()

  var handshaker: Handshaker
  var contacts: Connector
  var frames = FrameReceiver()
  var announcer: Announcer
  var broadcaster = Broadcaster()
  var reconciler = Reconciler()

  /// Creates an engine.
  ///
  /// - Parameters:
  ///   - announceCounter: greater than any that this incarnation has used before.
  ///   - seed: 32 bytes that no other run was given.
  public init(
    local: LocalDevice, incarnation: Incarnation, announceCounter: UInt64, roster: Roster,
    logs: [LogSummary], records: [LatestRecord], epochKeys: [EpochKey], seed: [UInt8],
    now reading: ClockReading
  ) {
    let now = reading.instant
    context = Context(local: local, roster: roster, seed: seed, now: reading)
    announcer = Announcer(incarnation: incarnation, counter: announceCounter, now: now)
    contacts = Connector(now: now)
    handshaker = Handshaker(random: &context.random, now: now)
    context.deadlines.schedule(.announce, at: announcer.next)
    for key in epochKeys { keys.add(key) }
    for record in records { self.records.keep(record, context: &context) }
    context.refileCertificates(after: nil)
    for log in logs.sorted(by: { $0.head.log < $1.head.log }) {
      context.logs.set(log, by: context.roster)
    }
  }

  /// Creates the engine of another device that holds the same and has met no peer, for thousands of
  /// devices in one process: they share the memory of what none of them changes.
  ///
  /// - Parameter seed: 32 bytes that no other run was given.
  package init(
    _ local: LocalDevice, holdingAsMuchAs other: SyncEngine, incarnation: Incarnation,
    seed: [UInt8], now reading: ClockReading
  ) {
    self.init(
      local: local, incarnation: incarnation, announceCounter: 0, roster: Roster([]), logs: [],
      records: [], epochKeys: [], seed: seed, now: reading)
    (context.roster, context.logs) = (other.context.roster, other.context.logs)
    (records, keys, evidence) = (other.records, other.keys, other.evidence)
  }

  /// Handles one input and returns the effects. The caller MUST carry them out in order, and take
  /// `now` from one monotonic clock.
  public mutating func handle(_ input: Input, now reading: ClockReading) -> [Effect] {
    context.effects = []
    context.random.stir(reading.entropy)
    // All state about peers is stale after a suspension.
    if context.clock.advance(to: reading, nextDeadline: context.deadlines.next) { retryEverybody() }
    noticeClockStep()
    switch input {
    case .datagram(let bytes, let endpoint, let link):
      context.outbox.links.open(link, now: context.now)
      receive(bytes, by: Arrival(endpoint: endpoint, link: link))
    case .appended(let opening, let frames): append(frames, opening: opening)
    case .attached(let log, let device, let result): noteAttached(result, to: log, of: device)
    case .startedIncarnation(let incarnation): announcer.incarnation = incarnation
    case .recorded(let recorded):
      let added = records.append(recorded, context: &context)
      for record in added { announcer.note(record) }
      if !added.isEmpty {
        broadcaster.push(
          .records(added), from: nil, by: nil, announcer: &announcer, context: &context)
      }
    case .carried(let carried): take(carried)
    case .fetched(let request, let frames):
      broadcaster.answer(request, with: frames, context: &context)
    case .fetchedUnit(let fetch, let unit): blobs.answer(fetch, with: unit, context: &context)
    case .blobsChanged(let entries, let removed):
      blobs.change(entries, removing: removed, context: &context)
    case .deadlinePassed: passDeadlines()
    case .rosterChanged(let roster): changeRoster(to: roster)
    case .rosterGrew(let growth): growRoster(by: growth)
    case .evidenceChanged(let added, let removed):
      evidence.change(adding: added, removing: removed, context: &context)
      if !added.isEmpty { announcer.quicken(context: &context) }
    case .invitesChanged(let invites): handshaker.set(invites)
    case .keysMissing(let epochs, let author): keys.request(epochs, of: author, context: &context)
    case .keyLearned(let key): keys.add(key)
    case .contacts(let endpoints):
      for endpoint in endpoints { addContact(endpoint) }
    case .joinAnswered(let ticket, let answer):
      handshaker.answerJoin(ticket, answer, context: &context)
    case .linkUp: retryEverybody()
    case .uplinkOpened(let endpoint): openUplink(endpoint)
    case .uplinkClosed(let endpoint): closeUplink(endpoint)
    case .linkRate(let rate): context.limitLinks(to: rate)
    }
    broadcaster.multicaster.sendDue(records.cache, announcer: &announcer, context: &context)
    context.flush()
    broadcaster.multicaster.schedule(context: &context)
    defer { context.effects = [] }
    return context.effects
  }

  private mutating func changeRoster(to roster: Roster) {
    let old = context.roster
    context.roster = roster
    context.logs.refile(by: roster, after: old)
    context.refileCertificates(after: old)
    context.bounds.forget { roster.device(of: $0).map(roster.revoked.contains) ?? true }
    frames.requestAdmitted(after: old, context: &context)
  }

  /// As `changeRoster`, at the cost of what is new.
  private mutating func growRoster(by growth: RosterGrowth) {
    let signed = growth.certificates + growth.others
    for signed in signed where !context.roster.shownHashes.contains(signed.hash) {
      context.logs.set(certificate: signed.hash)
    }
    context.roster.grow(by: growth)
    if !signed.isEmpty { frames.requestUnverifiable(context: &context) }
  }
}
