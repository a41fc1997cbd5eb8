import MusterCrypto
import MusterModel

@testable import MusterSync

/// One node of a story: an engine, and the part of the replica around it.
struct Station {
  var local: LocalDevice
  var endpoint: Endpoint
  var engine: SyncEngine
  var logIndex = TestLogIndex()
  var pen: Pen
  private var roster: Roster
  var invites: [OpenInvite] = []

  /// What came of it, to be looked at by the story.
  var notices: [Notice] = []
  var problems: [String] = []
  var sentDatagrams = 0
  var sentBytes = 0
  /// With IPv4 and UDP headers.
  var wireBytes: Int { sentBytes + sentDatagrams * Limits.headerBytes }
  /// By which else it can be reached.
  var second: Endpoint?
  var steps = 0
  var checksInvariants = true
  /// Units of blobs, by blob and number, as the disk keeps them.
  var units: [BlobID: [Int: BlobUnit]] = [:]
  /// How often a unit was read for a peer.
  var unitReads = 0
  /// How often frames were read for peers.
  var fetches = 0
  /// Whether it serves no unit that it reports.
  var withholdsUnits = false
  /// How often a unit was stored that was there already.
  var unitsAgain = 0
  /// Datagrams of so many bytes that were received: parts of photos are the largest ones.
  var received: [Int: Int] = [:]
  /// Logs in the order of their first frame's arrival.
  var arrivals: [LogID] = []
  private var incarnations: UInt64 = 0
  /// What others proved themselves with.
  private var proven: [SignedCertificate] = []

  init(_ local: LocalDevice, number: Int, epoch: EpochKey, now: Instant) {
    self.local = local
    endpoint = Self.endpoint(number)
    pen = Pen(local, epoch: epoch, seed: UInt64(number))
    roster = Roster(local.chain.certificates)
    engine = Self.engine(
      local, incarnation: pen.incarnation, logIndex: logIndex, roster: roster,
      seed: UInt64(number) << 32, counter: 0, now: now)
    self.number = number
  }

  let number: Int

  static func endpoint(_ number: Int) -> Endpoint {
    endpoint(number, network: 0)
  }

  static func secondEndpoint(_ number: Int) -> Endpoint {
    endpoint(number, network: 1)
  }

  private static func endpoint(_ number: Int, network: UInt8) -> Endpoint {
    let address = [10, UInt8(number >> 8), network, UInt8(number & 255)]
    guard let endpoint = Endpoint(address: address, port: 7474) else {
      preconditionFailure("four bytes are an address")
    }
    return endpoint
  }

  private static func engine(
    _ local: LocalDevice, incarnation: Incarnation, logIndex: TestLogIndex, roster: Roster,
    seed: UInt64,
    counter: UInt64, now: Instant
  ) -> SyncEngine {
    SyncEngine(
      local: local, incarnation: incarnation, announceCounter: counter, roster: roster,
      logs: logIndex.summaries, records: logIndex.records.values.sorted { $0.topic < $1.topic },
      epochKeys: logIndex.keys.values.sorted { $0.id < $1.id }, seed: Cast.seed(seed),
      now: Cast.clock(now))
  }

  /// The process ends and a new one reads the same disk: sessions and contacts are gone.
  mutating func restart(remembering contacts: [Endpoint], now: Instant) -> [Sending] {
    incarnations += 1
    engine = Self.engine(
      local, incarnation: pen.incarnation, logIndex: logIndex, roster: roster,
      seed: UInt64(number) << 32 | incarnations, counter: incarnations << 32, now: now)
    return handle(.invitesChanged(invites), now: now) + handle(.contacts(contacts), now: now)
  }

  // MARK: Inputs

  struct Sending {
    let bytes: [UInt8]
    let to: Destination
  }

  mutating func handle(_ input: Input, now: Instant) -> [Sending] {
    steps += 1
    if case .datagram(let bytes, _, _) = input { received[bytes.count, default: 0] += 1 }
    let effects = engine.handle(input, now: Cast.clock(now))
    check(effects, of: input)
    if checksInvariants { engine.checkInvariants() }
    if case .deadlinePassed = input, let next = engine.nextDeadline, next <= now {
      problems.append("deadline \(next.microseconds) is not after \(now.microseconds)")
    }
    var sendings: [Sending] = []
    for effect in effects {
      switch effect {
      case .store(let verified): sendings += store(verified, now: now)
      case .fetch(let request):
        fetches += 1
        sendings += handle(.fetched(request, logIndex.read(request)), now: now)
      case .fetchUnit where withholdsUnits: break
      case .fetchUnit(let request):
        let unit = units[request.listing.id]?[request.unit]
        unitReads += 1
        sendings += handle(.fetchedUnit(request, unit), now: now)
      case .send(let bytes, let destination):
        sentDatagrams += 1
        sentBytes += bytes.count
        if bytes.count > Limits.largestDatagramBytes {
          problems.append("sent \(bytes.count) bytes")
        }
        sendings.append(Sending(bytes: bytes, to: destination))
      case .notice(let notice): notices.append(notice)
      case .admit(let ticket):
        let answer = admit(ticket)
        sendings += answer.control.map { append($0, now: now) } ?? []
        sendings += handle(.joinAnswered(ticket, answer.answer), now: now)
      }
    }
    return sendings
  }

  mutating func append(_ written: (Opening, [Frame]), now: Instant) -> [Sending] {
    keep(written.1, opening: written.0)
    var sendings = handle(.appended(written.0, written.1), now: now)
    if written.0.lane == .control { sendings += readControl(now: now) }
    return sendings
  }

  mutating func write(_ count: Int, bytes: Int = 60, in lane: Lane, now: Instant) -> [Sending] {
    append(pen.write(count, bytes: bytes, in: lane), now: now)
  }

  mutating func record(_ counter: UInt64, now: Instant) -> [Sending] {
    let record = position(counter)
    logIndex.records[record.topic] = record
    return handle(.recorded([record]), now: now)
  }

  func position(_ counter: UInt64) -> LatestRecord {
    var random = DeterministicRandom(seed: Cast.seed(UInt64(number) << 40 | counter))
    guard let key = SealingKey(bytes: pen.epoch.key),
      let place = Coordinate(latitudeE7: Int64(counter), longitudeE7: 0)
    else { preconditionFailure("a place and a key") }
    let time = Timestamp(milliseconds: Int64(counter))
    return LatestRecord.position(
      PositionReport(fix: Fix(position: place, sampleTime: time), reportedAt: time),
      stamp: nil, operation: local.operation, certificate: local.certificate.hash,
      order: RecordOrder(generation: 1, incarnation: pen.incarnation, counter: counter),
      epoch: pen.epoch.id, key: key, nonce: random.nonce24(), signedBy: local.signingKey)
  }

  // MARK: The replica's part

  private mutating func keep(_ frames: [Frame], opening: Opening) {
    if let first = frames.first, first.sequence == 0 { arrivals.append(first.log) }
    if let problem = logIndex.add(frames, opening: opening, operation: local.operation) {
      problems.append("stored \(problem)")
    }
  }

  private mutating func store(_ verified: Verified, now: Instant) -> [Sending] {
    switch verified {
    case .frames(let opening, let frames):
      keep(frames, opening: opening)
      return opening.lane == .control ? readControl(now: now) : []
    case .branch(_, let frames, let device):
      // No index in these stories contains strands; a replica's may.
      return handle(
        .attached(frames[0].log, device, .refused(frames[0].strand)), now: now)
    case .record(let record):
      if let held = logIndex.records[record.topic], held.order >= record.order {
        problems.append("stored an older record")
      }
      logIndex.records[record.topic] = record
    case .blobUnit(let unit):
      if units[unit.blob]?[unit.number] != nil { unitsAgain += 1 }
      units[unit.blob, default: [:]][unit.number] = unit
    case .epochKey(let key): logIndex.keys[key.id] = key
    case .chain(let certificates):
      proven += certificates
      return readControl(now: now)
    case .evidence(let item): return handle(.evidenceChanged([item], []), now: now)
    case .contact(let endpoint, let device): logIndex.contacts[endpoint] = device
    }
    return []
  }

  private mutating func readControl(now: Instant) -> [Sending] {
    let read = logIndex.roster(of: local.operation, own: local.chain.certificates + proven)
    guard read != roster else { return [] }
    roster = read
    return handle(.rosterChanged(read), now: now)
  }

  /// Admits everybody who knows the secret, each once, as a member.
  private mutating func admit(
    _ ticket: JoinTicket
  ) -> (answer: JoinAnswer, control: (Opening, [Frame])?) {
    let request = ticket.request
    let known = roster.certificates.values.first {
      $0.certificate.signingKey == request.signingKey
    }
    let certificate =
      known
      ?? SignedCertificate(
        Certificate(
          operation: local.operation, issuer: local.certificate.hash,
          user: UserID(operation: local.operation, firstDeviceKey: request.signingKey),
          signingKey: request.signingKey, agreementKey: request.agreementKey, role: .member),
        signedBy: local.signingKey)
    let grant = JoinGrant(
      rootKey: local.rootKey, operationName: local.operationName,
      chain: [certificate] + local.chain.certificates, networkKey: local.networkKey.export(),
      epochKeys: [pen.epoch])
    return (.granted(grant), known == nil ? pen.certify([certificate]) : nil)
  }

  /// What is acknowledged is durable: everything is stored before an answer to a peer is sent.
  private mutating func check(_ effects: [Effect], of input: Input) {
    guard case .datagram(let bytes, _, _) = input,
      bytes.first == DatagramKind.transport.rawValue
    else { return }
    var hasSpoken = false
    for effect in effects {
      switch effect {
      case .send: hasSpoken = true
      case .store(.frames), .store(.record), .store(.blobUnit):
        if hasSpoken { problems.append("spoke before storing") }
      default: break
      }
    }
  }

  func rejections(_ rejection: Rejection) -> Int {
    notices.count { if case .rejected(rejection, _) = $0 { true } else { false } }
  }

  func connected(to other: Station, now: Instant) -> Bool {
    engine.peerStatus(now: now).contains { $0.device == other.local.device && $0.isConnected }
  }
}
