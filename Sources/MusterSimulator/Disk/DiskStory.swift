internal import MusterCrypto
internal import MusterModel
internal import MusterReplica
internal import MusterStore

/// Two devices and a link without loss. Ada's disk is reliable; Ben's is under test. He writes,
/// takes fixes, receives what she writes, restarts; his database checkpoints often. Each step is a
/// function of the seed, so all trials of a seed are equal up to their fault.
struct DiskStory {
  private let prelude: DiskPrelude
  let disk: SimulatedDisk
  private let adaDisk: SimulatedDisk
  private let adaStore: Store
  private var ada: Replica
  private var benStore: Store?
  private var ben: Replica?
  private var hasJoined = false
  private var random: DeterministicRandom
  private var now = Instant(microseconds: 1_000_000)
  private var flights: [Flight] = []
  private var reports: [RowID] = []
  private var step = 0
  private(set) var ledger = DiskLedger()
  /// Calls that failed because of the disk.
  private(set) var failures = 0
  private(set) var violations: [String] = []

  static let steps = 64

  private struct Flight {
    let arrival: Instant
    let isForBen: Bool
    let bytes: [UInt8]
  }

  /// The power failed: the device stops.
  struct PowerCut: Error {}

  init(_ prelude: DiskPrelude, seed: UInt64) throws {
    self.prelude = prelude
    disk = SimulatedDisk(seed: seed)
    adaDisk = SimulatedDisk(seed: seed)
    adaDisk.restore(prelude.adaDisk)
    adaStore = try adaDisk.openStore(
      DiskPrelude.file, checkpointPages: DiskPrelude.checkpointPages)
    random = DeterministicRandom(seed: DiskPrelude.seed32(seed, 5))
    ada = try Replica(
      store: adaStore, credentials: prelude.ada, start: .goesOn, seed: random.bytes(32),
      systemBoot: [1], now: Self.clock(now))
  }

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

  mutating func note(_ violation: String) { violations.append(violation) }

  // MARK: Ben's laptop

  /// Runs one call on Ben's replica; nil if it is off, or the disk made the call fail.
  private mutating func onBen<T>(
    _ call: (inout Replica, ClockReading) throws -> (T, Replica.Outcome)
  ) throws -> T? {
    guard var replica = ben, let store = benStore else { return nil }
    ben = nil
    defer { ben = replica }
    do {
      let (result, outcome) = try call(&replica, clock)
      try ledger.noteContents(of: store)
      send(outcome, toBen: false)
      return result
    } catch let error as StoreError {
      if disk.isOff { throw PowerCut() }
      try take(error)
      return nil
    } catch is Refusal {
      // What the command requires has not arrived: he was off, or his disk failed.
      return nil
    }
  }

  private mutating func take(_ error: StoreError) throws {
    failures += 1
    switch error {
    case .io, .diskFull: break
    default: note("a call failed with: \(error)")
    }
  }

  /// Starts Ben's node. It stays off if its disk prevents the start.
  mutating func switchOn() throws {
    guard ben == nil else { return }
    do {
      let store = try disk.openStore(
        DiskPrelude.file, checkpointPages: DiskPrelude.checkpointPages)
      benStore = store
      ben = try Replica(
        store: store, credentials: prelude.ben, start: .goesOn, seed: random.bytes(32),
        systemBoot: [2], now: clock)
    } catch let error as StoreError {
      benStore = nil
      if disk.isOff { throw PowerCut() }
      return try take(error)
    }
    if !hasJoined {
      let keys = prelude.benKeys
      guard try onBen({ ((), try $0.keep(keys, now: $1)) }) != nil else { return }
      hasJoined = true
    }
    _ = try onBen { ((), try $0.contact([Self.endpoint(1)], now: $1)) }
  }

  /// Stops Ben's node. Datagrams in flight to it are lost.
  mutating func switchOff() throws {
    ben = nil
    flights.removeAll(where: \.isForBen)
    guard let store = benStore else { return }
    benStore = nil
    do {
      try store.close()
    } catch {
      if !disk.isOff { try take(error) }
    }
  }

  /// Reads on Ben's device, which must work while its disk fails.
  mutating func read() throws {
    guard var replica = ben else { return }
    ben = nil
    defer { ben = replica }
    do {
      _ = try replica.reports()
      _ = try replica.status(now: clock)
    } catch let error as StoreError {
      if disk.isOff { throw PowerCut() }
      note("reading failed: \(error)")
    }
  }

  // MARK: The story

  /// Runs the whole story. Throws `PowerCut` when the power fails.
  mutating func run() throws {
    try switchOn()
    while step < Self.steps { try runStep() }
  }

  /// Runs the next step, and delivers datagrams for a moment.
  mutating func runStep() throws {
    step += 1
    if ben == nil { try switchOn() }
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
    guard let id = try onBen({ try $0.addReport(draft, now: $1) }) else { return }
    reports.append(id)
    ledger.noteTitle(draft.title, of: id)
  }

  private mutating func editReport() throws {
    guard let id = reports.last else { return }
    let title = "Edited \(step)"
    ledger.noteAttempt(title, on: id)
    if try onBen({ ((), try $0.editReport(id, ReportChanges(title: title), now: $1)) }) != nil {
      ledger.noteTitle(title, of: id)
    }
  }

  private mutating func comment() throws {
    guard let id = reports.last else { return }
    let text = "Comment \(step) " + text(upTo: 1500)
    if try onBen({ ((), try $0.commentReport(id, text: text, now: $1)) }) != nil {
      ledger.noteComment(text, on: id)
    }
  }

  private mutating func claim() throws {
    let claim: SafetyClaim = step % 16 < 8 ? .safe : .needsHelp
    if try onBen({ ((), try $0.claimSafety(claim, note: "", now: $1)) }) != nil {
      ledger.noteOther()
    }
  }

  private mutating func confirm() throws {
    guard let id = try ada.reports().map(\.id).filter({ !reports.contains($0) }).sorted().last
    else { return }
    if try onBen({ ((), try $0.confirmReport(id, now: $1)) }) != nil { ledger.noteOther() }
  }

  private mutating func takeFix(metresNorth: Int64) throws {
    let fix = Fix(
      position: Self.place(metresNorth: metresNorth), accuracyDecimetres: 50,
      sampleTime: Timestamp(milliseconds: 1_600_000_000_000 + Int64(step) * 1000))
    if try onBen({ ((), try $0.ingest(fix, now: $1)) }) != nil { ledger.noteFix() }
  }

  private mutating func writeAtAda() throws {
    for number in 0..<4 {
      let draft = ReportDraft(title: "Ada \(step).\(number)", details: text(upTo: 1500))
      let (_, outcome) = try ada.addReport(draft, now: clock)
      send(outcome, toBen: true)
    }
  }

  // MARK: Time and the link

  private mutating func send(_ outcome: Replica.Outcome, toBen: Bool) {
    for remark in outcome.remarks where remark.contains("fork") { note(remark) }
    for outgoing in outcome.outgoing {
      let bytes =
        switch outgoing {
        case .to(_, _, let bytes): bytes
        case .multicast(_, let bytes): bytes
        }
      flights.append(
        Flight(arrival: now.advanced(byMilliseconds: 2), isForBen: toBen, bytes: bytes))
    }
  }

  private mutating func pass(milliseconds: Int64) throws {
    let end = now.advanced(byMilliseconds: milliseconds)
    while true {
      var next = min(ada.nextDeadline ?? end, ben?.nextDeadline ?? end)
      // All take equally long, so the first is the earliest.
      if let first = flights.first { next = min(next, first.arrival) }
      guard next < end else { break }
      // A clock continues even if a deadline could not be kept.
      now = max(Instant(microseconds: now.microseconds + 1), next)
      try deliver()
      if let deadline = ada.nextDeadline, deadline <= now {
        send(try ada.passDeadlines(now: clock), toBen: true)
      }
      if let deadline = ben?.nextDeadline, deadline <= now {
        _ = try onBen { ((), try $0.passDeadlines(now: $1)) }
      }
    }
    now = max(now, end)
  }

  private mutating func deliver() throws {
    let arrived = flights.prefix { $0.arrival <= now }
    flights.removeFirst(arrived.count)
    let forBen = arrived.filter(\.isForBen).map {
      (bytes: $0.bytes, from: Self.endpoint(1), link: LinkID.unknown)
    }
    let forAda = arrived.filter { !$0.isForBen }.map {
      (bytes: $0.bytes, from: Self.endpoint(2), link: LinkID.unknown)
    }
    if !forAda.isEmpty { send(try ada.receive(forAda, now: clock), toBen: true) }
    if !forBen.isEmpty { _ = try onBen { ((), try $0.receive(forBen, now: $1)) } }
  }

  // MARK: The end

  /// Restarts Ben's device with a reliable disk: checks what it holds, then that it continues to
  /// write and converges with Ada's.
  mutating func settle() throws {
    try switchOn()
    if let problem = disk.integrityProblem(in: DiskPrelude.file) { note("integrity: \(problem)") }
    guard let store = benStore, var replica = ben else { return note("it does not start again") }
    for loss in try ledger.losses(in: store, of: replica) { note("lost: \(loss)") }
    for loss in try ledger.recordLosses(in: store) { note("lost: \(loss)") }
    for problem in try replica.verify().problems { note("verify: \(problem)") }
    try replica.checkInvariants()
    ben = replica
    try agree()
    let (before, known) = (failures, reports.count)
    step += 8 - step % 8
    try addReport()
    if failures > before || reports.count == known { note("a sound disk still refuses") }
    try agree()
    guard var settled = ben else { return }
    let (hers, his) = (try ada.stateHash(), try settled.stateHash())
    if hers != his { note("states differ: \(hers) and \(his)") }
    for loss in try ledger.losses(in: adaStore, of: ada) where !loss.hasSuffix("are there") {
      note("not at Ada's: \(loss)")
    }
    ben = settled
  }

  private mutating func agree() throws {
    for _ in 0..<600 {
      try pass(milliseconds: 100)
      if ada.root() == ben?.root() { return }
    }
    note("no agreement after 60 s")
  }

  /// Closes all databases.
  mutating func finish() throws {
    try switchOff()
    try adaStore.close()
  }
}
