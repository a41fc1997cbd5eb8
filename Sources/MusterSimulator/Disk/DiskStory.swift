internal import MusterCrypto
internal import MusterModel
internal import MusterReplica
internal import MusterStore

/// Two devices and a link without loss. Ada's disk is reliable; Ben's is under test. He writes,
/// takes fixes, receives what she writes, restarts; his database checkpoints often. Each step is a
/// function of the seed, so all trials of a seed are equal up to their fault.
struct DiskStory {
  private let prelude: DiskPrelude
  private(set) var ben: TestedDevice
  private var ada: ReliableDevice
  private var link = DirectLink()
  private var random: DeterministicRandom
  private var now = Instant(microseconds: 1_000_000)
  /// Ben's reports.
  private var reports: [RowID] = []
  private var step = 0

  static let steps = 64

  /// A device with a reliable disk, which is never off.
  private struct ReliableDevice {
    /// Held, since the store uses it.
    let disk: SimulatedDisk
    let store: Store
    var replica: Replica
  }

  init(_ prelude: DiskPrelude, seed: UInt64) throws {
    self.prelude = prelude
    ben = TestedDevice(prelude.ben, seed: seed)
    let adaDisk = SimulatedDisk(seed: seed)
    adaDisk.restore(prelude.adaDisk)
    let adaStore = try adaDisk.openStore(
      DiskPrelude.file, checkpointPages: DiskPrelude.checkpointPages)
    var random = DeterministicRandom(seed: DiskPrelude.seed32(seed, 5))
    let replica = try Replica(
      store: adaStore, credentials: prelude.ada, start: .continues, seed: random.bytes(32),
      systemBoot: [1], now: Self.clock(now))
    ada = ReliableDevice(disk: adaDisk, store: adaStore, replica: replica)
    self.random = random
  }

  /// Ben's disk.
  var disk: SimulatedDisk { ben.disk }

  static func clock(_ instant: Instant) -> ClockReading {
    ClockReading(
      instant: instant, wall: wall(instant), boot: instant.microseconds / 1000, entropy: .zero)
  }

  static func wall(_ instant: Instant) -> Timestamp {
    Timestamp(milliseconds: 1_750_000_000_000 + instant.microseconds / 1000)
  }

  static func place(metresNorth: Int64) -> Coordinate {
    // A metre is 90 e-7 degrees of latitude.
    guard
      let place = Coordinate(latitudeE7: 480_000_000 + metresNorth * 90, longitudeE7: 110_000_000)
    else { preconditionFailure("\(metresNorth) m leaves the map") }
    return place
  }

  private static func endpoint(_ last: UInt8) -> Endpoint {
    guard let endpoint = Endpoint(address: [10, 0, 0, last], port: 7474) else {
      preconditionFailure("four bytes are an address")
    }
    return endpoint
  }

  private var clock: ClockReading { Self.clock(now) }

  // MARK: Ben's laptop

  /// Runs one call on Ben's replica; nil if it is off, or the disk made the call fail.
  private mutating func onBen<T>(
    _ call: (inout Replica, ClockReading) throws -> (T, Replica.Outcome)
  ) throws -> T? {
    guard let (result, outcome) = try ben.call(now: clock, call) else { return nil }
    send(outcome, toBen: false)
    return result
  }

  /// Starts Ben's device. It stays off if its disk prevents the start.
  mutating func switchOn() throws {
    guard try ben.start(now: clock, random: &random) else { return }
    if !ben.hasJoined {
      let keys = prelude.benKeys
      guard try onBen({ ((), try $0.keep(keys, now: $1)) }) != nil else { return }
      ben.hasJoined = true
    }
    _ = try onBen { ((), try $0.contact([Self.endpoint(1)], now: $1)) }
  }

  /// Stops Ben's device. Datagrams in flight to it are lost.
  mutating func switchOff() throws {
    link.dropToBen()
    try ben.stop()
  }

  /// Reads on Ben's device, which must work while its disk fails.
  mutating func read() throws { try ben.read(now: clock) }

  // MARK: The story

  /// Runs the whole story. Throws `TestedDevice.PowerCut` when the power fails.
  mutating func run() throws {
    try switchOn()
    while step < Self.steps { try runStep() }
  }

  /// Runs the next step, and delivers datagrams for a moment.
  mutating func runStep() throws {
    step += 1
    if ben.replica == nil { try switchOn() }
    switch step % 8 {
    case 0: try addReport()
    case 1: try takeFix(metresNorth: Int64(random.uniform(below: 300)))
    case 2: try editReport()
    case 3: try comment()
    case 4: try writeAtAda()
    case 5: try claim()
    case 6: try takeFix(metresNorth: step % 16 < 8 ? 0 : 250)
    default: try confirm()
    }
    try pass(milliseconds: 60)
    if step % 20 == 0 {
      try switchOff()
      try switchOn()
    }
  }

  private mutating func text(upTo bytes: UInt64) -> String {
    let letters = random.bytes(Int(random.uniform(below: bytes)))
    return String(decoding: letters.map { 97 + $0 % 26 }, as: UTF8.self)
  }

  private mutating func addReport() throws {
    let draft = ReportDraft(
      title: "Report \(step)", details: text(upTo: 4000), toEvacuate: step % 3 == 0)
    guard let id = try onBen({ try $0.write(ReportRequests.add(draft), now: $1) }) else { return }
    reports.append(id)
    ben.ledger.noteTitle(draft.title, of: id)
  }

  private mutating func editReport() throws {
    guard let id = reports.last else { return }
    let title = "Edited \(step)"
    ben.ledger.noteAttempt(title, on: id)
    if try onBen({
      ((), try $0.write(ReportRequests.edit(id, ReportChanges(title: title)), now: $1))
    }) != nil {
      ben.ledger.noteTitle(title, of: id)
    }
  }

  private mutating func comment() throws {
    guard let id = reports.last else { return }
    let text = "Comment \(step) " + text(upTo: 1500)
    if try onBen({ ((), try $0.write(ReportRequests.comment(id, text: text), now: $1)) }) != nil {
      ben.ledger.noteComment(text, on: id)
    }
  }

  private mutating func claim() throws {
    let claim: SafetyClaim = step % 16 < 8 ? .safe : .needsHelp
    if try onBen({ ((), try $0.write(PersonRequests.claim(claim, note: ""), now: $1)) }) != nil {
      ben.ledger.noteOther()
    }
  }

  private mutating func confirm() throws {
    guard
      let id = try ada.replica.queries.reports().map(\.id).filter({ !reports.contains($0) })
        .sorted().last
    else { return }
    if try onBen({ ((), try $0.write(ReportRequests.confirm(id), now: $1)) }) != nil {
      ben.ledger.noteOther()
    }
  }

  private mutating func takeFix(metresNorth: Int64) throws {
    let fix = Fix(
      position: Self.place(metresNorth: metresNorth), accuracyDecimetres: 50,
      sampleTime: Timestamp(milliseconds: 1_600_000_000_000 + Int64(step) * 1000))
    if try onBen({ ((), try $0.ingest(fix, now: $1)) }) != nil { ben.ledger.noteFix() }
  }

  private mutating func writeAtAda() throws {
    for number in 0..<4 {
      let draft = ReportDraft(title: "Ada \(step).\(number)", details: text(upTo: 1500))
      let (_, outcome) = try ada.replica.write(ReportRequests.add(draft), now: clock)
      send(outcome, toBen: true)
    }
  }

  // MARK: Time and the link

  private mutating func send(_ outcome: Replica.Outcome, toBen: Bool) {
    for remark in outcome.remarks where remark.contains("fork") { ben.note(remark) }
    for outgoing in outcome.outgoing {
      let bytes =
        switch outgoing {
        case .to(_, _, let bytes): bytes
        case .multicast(_, let bytes): bytes
        }
      link.send(bytes, toBen: toBen, now: now)
    }
  }

  private mutating func pass(milliseconds: Int64) throws {
    let end = now.advanced(byMilliseconds: milliseconds)
    while true {
      var next = min(ada.replica.nextDeadline ?? end, ben.replica?.nextDeadline ?? end)
      if let arrival = link.nextArrival { next = min(next, arrival) }
      guard next < end else { break }
      // A clock continues even if a deadline could not be kept.
      now = max(Instant(microseconds: now.microseconds + 1), next)
      try deliver()
      if let deadline = ada.replica.nextDeadline, deadline <= now {
        send(try ada.replica.passDeadlines(now: clock), toBen: true)
      }
      if let deadline = ben.replica?.nextDeadline, deadline <= now {
        _ = try onBen { ((), try $0.passDeadlines(now: $1)) }
      }
    }
    now = max(now, end)
  }

  private mutating func deliver() throws {
    let arrived = link.arrivals(now: now)
    let forBen = arrived.filter(\.isForBen).map {
      (bytes: $0.bytes, from: Self.endpoint(1), link: LinkID.unknown)
    }
    let forAda = arrived.filter { !$0.isForBen }.map {
      (bytes: $0.bytes, from: Self.endpoint(2), link: LinkID.unknown)
    }
    if !forAda.isEmpty { send(try ada.replica.receive(forAda, now: clock), toBen: true) }
    if !forBen.isEmpty { _ = try onBen { ((), try $0.receive(forBen, now: $1)) } }
  }

  // MARK: The end

  /// Restarts Ben's device with a reliable disk: checks what it holds, then that it continues to
  /// write and converges with Ada's.
  mutating func settle() throws {
    try switchOn()
    guard try ben.check() else { return }
    try agree()
    let (before, known) = (ben.failures, reports.count)
    step += 8 - step % 8
    try addReport()
    if ben.failures > before || reports.count == known { ben.note("a sound disk still refuses") }
    try agree()
    guard let his = try ben.stateHash() else { return }
    let hers = try ada.replica.stateHash()
    if hers != his { ben.note("states differ: \(hers) and \(his)") }
    for loss in try ben.ledger.losses(in: ada.store, of: ada.replica)
    where !loss.hasSuffix("are there") {
      ben.note("not at Ada's: \(loss)")
    }
  }

  private mutating func agree() throws {
    for _ in 0..<600 {
      try pass(milliseconds: 100)
      if ada.replica.root() == ben.root() { return }
    }
    ben.note("no agreement after 60 s")
  }

  /// Closes all databases.
  mutating func finish() throws {
    try switchOff()
    try ada.store.close()
  }
}
