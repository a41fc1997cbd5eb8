import MusterModel
import MusterStatus
import MusterTestKit

/// A few honest devices and a few attackers, determined by one seed, with the true time known.
///
/// Honest boot clocks drift by up to 99 ppm and start anywhere; wall clocks are off by up to ten
/// years. The attackers control the network: they delay, reorder, drop, replay and partition it.
/// They know every record at once and sign their own records with any stamp and any echoes; they
/// cannot sign for others or guess a name. Each honest device observes twice: with everything that
/// it receives, and as a control without the attackers' records.
struct AgeWorld {
  struct Clock {
    var start: Int64
    var driftPPM: Int64

    /// Milliseconds, rounded down, at a true time in microseconds; negative before the boot.
    func reading(at time: Int64) -> Int64 {
      let scaled = (time - start) * (1_000_000 + driftPPM)
      return (scaled / 1_000_000_000) - (scaled % 1_000_000_000 < 0 ? 1 : 0)
    }
  }

  struct Record {
    let signed: StampedRecord
    let author: Int
    let madeAt: Int64
    let reportedAt: Int64
    /// Of an order: its duration in milliseconds.
    let duration: Int64?
  }

  struct Order {
    var made: Span
    var control: Span
    let receivedAt: Int64
  }

  struct Device {
    let id: DeviceID
    let isHonest: Bool
    let isCommand: Bool
    var clock: Clock
    var boot: BootID
    let wallError: Int64
    var isCutOff = false
    var received: Set<Int> = []
    var evidence: AgeEvidence
    var control: AgeEvidence
    var orders: [Int: Order] = [:]
  }

  /// The fault in a world, and statistics of the checks.
  struct Result {
    var violations: [String] = []
    var checks = 0
    var bounded = 0
    var excess: [Int64] = []
    var fooledByWallClock = false
    var fooledByOthersStamps = false
    var worseThanControl: Int64 = 0
  }

  private let seed: UInt64
  /// Whether events are seconds apart; otherwise there are minutes and hours of silence.
  private let isBusy: Bool
  private var random: SplitMix64
  private var now: Int64 = 0
  private var devices: [Device] = []
  private var records: [Record] = []
  private var numbers: [StampedRecordID: Int] = [:]
  private var result = Result()

  init(seed: UInt64) {
    self.seed = seed
    random = SplitMix64(seed: seed)
    isBusy = seed.isMultiple(of: 2)
    let honest = 2 + random.number(below: 3)
    for index in 0..<(honest + 1 + random.number(below: 3)) {
      let id = DeviceID(raw: Bytes16(high: 1, low: UInt64(index)))
      devices.append(
        Device(
          id: id, isHonest: index < honest, isCommand: index == 0 || random.chance(oneIn: 3),
          clock: Clock(start: 0, driftPPM: 0), boot: BootID(raw: .zero),
          wallError: number(within: 315_576_000_000), evidence: AgeEvidence(observer: id),
          control: AgeEvidence(observer: id)))
      boot(index, uptime: Int64(random.number(below: 2_592_000)) * 1_000_000)
    }
  }

  mutating func run(steps: Int) -> Result {
    for _ in 0..<steps {
      advance()
      act()
      check(observer: honestDevice())
    }
    for device in devices {
      device.evidence.checkInvariants()
      device.control.checkInvariants()
    }
    return result
  }

  // MARK: Events

  private mutating func advance() {
    switch random.number(below: isBusy && !random.chance(oneIn: 20) ? 4 : 10) {
    case 0: break
    case 1...3: now += Int64(random.number(below: 2_000_000))
    case 4...6: now += Int64(random.number(below: 60_000_000))
    case 7, 8: now += Int64(random.number(below: 900_000_000))
    default: now += Int64(random.number(below: 7200)) * 1_000_000
    }
  }

  private mutating func act() {
    switch random.number(below: 100) {
    case 0..<30 where isBusy: meet(honestDevice(), honestDevice())
    case 0..<28: makeHonestRecord(of: honestDevice())
    case 28..<40: forgeRecord()
    case 40..<56: makeHonestRecord(of: honestDevice())
    case 56..<84: deliver(anyRecord(), to: honestDevice())
    case 84..<94: meet(honestDevice(), honestDevice())
    case 94..<97:
      let index = honestDevice()
      devices[index].isCutOff.toggle()
    default: reboot(honestDevice())
    }
  }

  private mutating func makeHonestRecord(of index: Int) {
    let isOrder = devices[index].isCommand && random.chance(oneIn: 4)
    let isAnchor = isOrder || !random.chance(oneIn: 4)
    // In the order of the protocol: own time, echoes, stamp, signature.
    let time = devices[index].clock.reading(at: now)
    let commands = Set(devices.filter(\.isCommand).map(\.id))
    let candidates = devices[index].evidence.candidates { commands.contains($0) }
    let echoes = isAnchor ? StampedRecord.chooseEchoes(of: candidates, using: &random) : nil
    let stamp = Stamp(boot: devices[index].boot, milliseconds: time)
    let duration = isOrder ? Int64(random.number(below: 3_600_000)) : nil
    let id = add(index, stamp: stamp, echoes: echoes, wall: wall(of: index), duration: duration)
    devices[index].evidence.insertOwn(id, isAnchor: isAnchor, at: time)
    devices[index].control.insertOwn(id, isAnchor: isAnchor, at: time)
  }

  private mutating func forgeRecord() {
    let index = random.choice(of: devices.indices.filter { !devices[$0].isHonest })
    let truth = devices[index].clock.reading(at: now)
    let stamp: Stamp?
    switch random.number(below: 5) {
    case 0: stamp = Stamp(boot: devices[index].boot, milliseconds: truth)
    case 1:
      stamp = Stamp(boot: devices[index].boot, milliseconds: truth + number(within: 86_400_000))
    case 2: stamp = Stamp(boot: devices[index].boot, milliseconds: Stamp.last)
    case 3: stamp = records.last.map(\.signed.stamp)
    default:
      stamp = Stamp(
        boot: BootID(raw: draw()), milliseconds: Int64(random.number(below: Int(Stamp.last))))
    }
    let echoes = (0..<random.number(below: 5)).map { _ in
      records.isEmpty || random.chance(oneIn: 8)
        ? StampedRecordID(raw: draw()) : records[anyRecord()].signed.id
    }
    _ = add(
      index, stamp: stamp ?? Stamp(boot: devices[index].boot, milliseconds: 0), echoes: echoes,
      wall: Int64(bitPattern: random.next()), duration: nil)
  }

  private mutating func add(
    _ author: Int, stamp: Stamp?, echoes: [StampedRecordID]?, wall: Int64, duration: Int64?
  ) -> StampedRecordID {
    let id = StampedRecordID(raw: draw())
    guard let stamp,
      let signed = StampedRecord(id: id, author: devices[author].id, stamp: stamp, echoes: echoes)
    else { preconditionFailure("a record of the model is out of range") }
    numbers[id] = records.count
    records.append(
      Record(signed: signed, author: author, madeAt: now, reportedAt: wall, duration: duration))
    return id
  }

  private mutating func deliver(_ number: Int?, to index: Int) {
    guard let number, number < records.count, !devices[index].isCutOff,
      records[number].author != index
    else { return }
    receive(number, at: index, time: devices[index].clock.reading(at: now))
  }

  private mutating func receive(_ number: Int, at index: Int, time: Int64) {
    let record = records[number]
    let (made, fault) = devices[index].evidence.insert(record.signed, at: time)
    devices[index].received.insert(number)
    guard devices[record.author].isHonest else { return }
    let (control, _) = devices[index].control.insert(record.signed, at: time)
    if fault != nil { violate("an honest device \(record.author) has a clock fault at \(index)") }
    if record.duration != nil, devices[index].orders[number] == nil {
      devices[index].orders[number] = Order(made: made, control: control, receivedAt: time)
    }
    checkOthersStamps(record, at: index)
  }

  /// Two devices exchange the newest record that either holds of each device.
  private mutating func meet(_ left: Int, _ right: Int) {
    guard left != right else { return }
    for (from, to) in [(left, right), (right, left)] {
      for author in devices.indices {
        let newest = records.indices.last {
          records[$0].author == author && (author == from || devices[from].received.contains($0))
        }
        deliver(newest, to: to)
      }
    }
  }

  private mutating func boot(_ index: Int, uptime: Int64) {
    devices[index].clock = Clock(
      start: now - uptime, driftPPM: devices[index].isHonest ? number(within: 99) : 0)
    devices[index].boot = BootID(raw: draw())
  }

  private mutating func reboot(_ index: Int) {
    boot(index, uptime: 0)
    devices[index].evidence = AgeEvidence(observer: devices[index].id)
    devices[index].control = AgeEvidence(observer: devices[index].id)
    devices[index].orders = [:]
    for number in devices[index].received.sorted() { receive(number, at: index, time: 0) }
  }

  // MARK: Invariants

  private mutating func check(observer index: Int) {
    let observer = devices[index]
    let time = observer.clock.reading(at: now)
    for (subject, device) in devices.enumerated() where subject != index && device.isHonest {
      let held = observer.received.filter { records[$0].author == subject }
      guard let newest = held.max(by: { records[$0].madeAt < records[$1].madeAt }) else {
        continue
      }
      let truth = time - observer.clock.reading(at: records[newest].madeAt)
      guard let age = observer.evidence.age(of: device.id, at: time),
        let control = observer.control.age(of: device.id, at: time)
      else { return violate("no age of \(subject) at \(index)") }
      result.checks += 1
      if age.latest < truth { violate("\(subject) looks younger at \(index): \(age), \(truth)") }
      if age.earliest > truth { violate("\(subject) looks older at \(index): \(age), \(truth)") }
      if age.latest < 1 << 51 {
        result.bounded += 1
        result.excess.append(age.latest - truth)
      }
      result.worseThanControl = max(result.worseThanControl, age.latest - control.latest)
      let byWallClock = max(wall(of: index) - records[newest].reportedAt, 0)
      if byWallClock < truth - 120_000 { result.fooledByWallClock = true }
    }
    checkDeadlines(observer, index, at: time)
  }

  private mutating func checkDeadlines(_ observer: Device, _ index: Int, at time: Int64) {
    var (all, controls, truths) = ([Deadline](), [Deadline](), [Int64]())
    for number in observer.orders.keys.sorted() {
      guard let order = observer.orders[number], let duration = records[number].duration
      else { continue }
      let stamp = records[number].signed.stamp
      let author = devices[records[number].author].id
      let made = order.made.refined(by: observer.evidence.date(stamp, of: author))
      let control = order.control.refined(by: observer.control.date(stamp, of: author))
      let truth = observer.clock.reading(at: records[number].madeAt) + duration
      let deadline = Deadline(made: made, durationMilliseconds: duration)
      if deadline.time.earliest > truth || deadline.time.latest < truth {
        violate("the deadline of \(number) is not within its bounds at \(index)")
      }
      if deadline.time.latest > order.receivedAt + duration {
        violate("the deadline of \(number) is later than its arrival allows at \(index)")
      }
      all.append(deadline)
      controls.append(Deadline(made: control, durationMilliseconds: duration))
      truths.append(truth)
      if deadline.time.latest > controls[controls.count - 1].time.latest {
        violate("attackers postponed the deadline of \(number) at \(index)")
      }
    }
    guard let first = Deadline.first(of: all), let control = Deadline.first(of: controls),
      let truth = truths.min()
    else { return }
    let remaining = first.remaining(at: time)
    if remaining.earliest > truth - time || remaining.latest < truth - time
      || first.time.latest > control.time.latest
    {
      violate("the first deadline is not within its bounds at \(index)")
    }
  }

  /// Records what a rule would conclude that takes lower bounds from the stamps of echoed records.
  private mutating func checkOthersStamps(_ record: Record, at index: Int) {
    let truth = devices[index].clock.reading(at: record.madeAt)
    for echo in record.signed.echoes ?? [] {
      guard let number = numbers[echo], !devices[records[number].author].isHonest,
        let time = devices[index].evidence.date(
          records[number].signed.stamp, of: devices[records[number].author].id)
      else { continue }
      if time.hasEarliest, time.earliest > truth { result.fooledByOthersStamps = true }
    }
  }

  private mutating func violate(_ what: String) {
    result.violations.append(
      "seed \(seed): \(what); replay with MUSTER_TEST_SEED=\(seed) swift test --filter AgeAttack")
  }

  // MARK: Random choices

  private func wall(of index: Int) -> Int64 {
    1_800_000_000_000 + now / 1000 + devices[index].wallError
  }

  private mutating func honestDevice() -> Int {
    random.choice(of: devices.indices.filter { devices[$0].isHonest })
  }

  /// Returns one of the newest records, or any.
  private mutating func anyRecord() -> Int {
    guard !records.isEmpty, random.chance(oneIn: 3) else {
      return max(0, records.count - 1 - random.number(below: 8))
    }
    return random.number(below: records.count)
  }

  private mutating func draw() -> Bytes16 { Bytes16(high: random.next(), low: random.next()) }

  private mutating func number(within bound: Int64) -> Int64 {
    Int64(random.number(below: Int(2 * bound + 1))) - bound
  }
}

extension Span {
  fileprivate func refined(by other: Span?) -> Span { other.flatMap(intersection) ?? self }
}
