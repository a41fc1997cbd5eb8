import MusterGeo
import MusterModel
import MusterTestKit
import Testing

@Suite("The clock of a phone")
struct PhoneClockTests {
  private static let start: Int64 = 1_750_000_000_000

  private func now(_ milliseconds: Int64) -> ClockReading {
    ClockReading(
      instant: Instant(microseconds: milliseconds * 1000),
      wall: Timestamp(milliseconds: Self.start + milliseconds), boot: milliseconds,
      entropy: .zero)
  }

  private func stated(_ milliseconds: Int64) -> DeviceTime {
    .stated(Timestamp(milliseconds: Self.start + milliseconds))
  }

  @Test func `A stored fix is as old as its time states, and nothing bounds its age`() {
    var clock = PhoneClock()
    for minutes: Int64 in [180, 175, 170] {
      let age = clock.age(of: stated(-minutes * 60_000), arriving: now(100))
      #expect(age == .atLeast(milliseconds: minutes * 60_000 + 100))
    }
  }

  @Test func `Two undelayed fixes show a steady clock, and one upload of stored fixes does not`() {
    var clock = PhoneClock()
    #expect(clock.age(of: stated(0), arriving: now(300)) == .atLeast(milliseconds: 300))
    #expect(clock.age(of: stated(30_000), arriving: now(30_200)) == .about(milliseconds: 200))
    var upload = PhoneClock()
    for second: Int64 in 0..<60 {
      let age = upload.age(of: stated(second * 1000), arriving: now(60_000 + second * 20))
      guard case .atLeast = age else {
        Issue.record("\(age) after \(second) s")
        return
      }
    }
  }

  @Test func `The lead of a clock that is ahead is added, and a clock behind looks old`() {
    var ahead = PhoneClock()
    _ = ahead.age(of: stated(600_000), arriving: now(0))
    // Three minutes later a fix arrives that was made two minutes before.
    let late = ahead.age(of: stated(660_000), arriving: now(180_000))
    #expect(late == .atLeast(milliseconds: 120_000))
    var behind = PhoneClock()
    _ = behind.age(of: stated(-10_800_000), arriving: now(0))
    let age = behind.age(of: stated(-10_770_000), arriving: now(30_000))
    #expect(age == .about(milliseconds: 10_800_000), "only a proof shortens an age")
    let corrected = behind.age(
      of: stated(-10_740_000), behind: 10_800_000, arriving: now(60_000))
    #expect(corrected.leastMilliseconds == 0, "command states that the clock is behind")
    let proven = behind.age(of: stated(0), proven: 7000, arriving: now(90_000))
    #expect(proven == .exactly(milliseconds: 7000))
  }

  @Test func `A missing time is now, an unknown one unknown, and an absurd one no evidence`() {
    var clock = PhoneClock()
    #expect(clock.age(of: .missing, arriving: now(0)) == .exactly(milliseconds: 0))
    #expect(clock.age(of: .unknown, arriving: now(0)) == .unknown)
    for time in [Int64.min, .max] {
      let age = clock.age(of: .stated(Timestamp(milliseconds: time)), arriving: now(0))
      #expect(age == .unknown)
    }
  }

  // MARK: Drawn histories

  /// `MUSTER_VOLUME=10000` draws as many histories; `MUSTER_TEST_SEED` replays one.
  @Test func `Drawn histories of phones never look younger than the evidence`() {
    var tally = PhoneHistory.Tally()
    for seed in Volume.seeds(orUsual: 300) {
      let history = PhoneHistory(seed: seed)
      let faults = history.faults(&tally)
      #expect(
        faults.isEmpty,
        "\(faults.prefix(3)); replay with MUSTER_TEST_SEED=\(seed) swift test --filter PhoneClock")
      if faults.count > 0 { return }
    }
    print("phone histories: \(tally)")
    guard Volume.onlySeed == nil else { return }
    #expect(
      tally.undelayed > 0 && tally.buffered > 0 && tally.ahead > 0 && tally.jumps > 0
        && tally.answered > 0 && tally.punctual > 0, "each kind is drawn: \(tally)")
  }
}

/// Six hours of a phone beside the true time.
private struct PhoneHistory {
  struct Tally {
    var samples = 0
    var undelayed = 0
    var buffered = 0
    var ahead = 0
    var jumps = 0
    var orders = 0
    var answered = 0
    /// Orders whose presence had to count within 60 s of the certain moment.
    var punctual = 0
    var worstPunctualMilliseconds: Int64 = 0
    var worstBelowTruthMilliseconds: Int64 = 0
  }

  /// A sample, in true milliseconds.
  private struct Sample {
    let made: Int64
    let stated: Int64
    let arrived: Int64
    var delay: Int64 { arrived - made }
  }

  private static let start: Int64 = 1_750_000_000_000
  private static let length: Int64 = 6 * 3_600_000
  /// A message that was not stored arrives within this.
  private static let undelayed: Int64 = 1600
  private var samples: [Sample] = []
  private var orders: [Int64] = []
  /// The offset of the clock from true time at the start; positive if it is ahead.
  private let offset: Int64
  private var jumps = 0
  /// Connected, and reporting at least each 30 s, throughout.
  private let isConnected: Bool

  init(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    func below(_ bound: Int64) -> Int64 { Int64(random.next() % UInt64(bound)) }
    offset =
      switch below(4) {
      case 0: 0
      case 1: below(240_001) - 120_000
      case 2: below(3 * 3_600_000)
      default: -below(3 * 3_600_000)
      }
    isConnected = below(3) == 0
    let interval = isConnected ? 5000 + below(25_001) : 5000 + below(175_001)
    let drift = below(101) - 50  // parts per million
    var moments: [(at: Int64, by: Int64)] = []
    if !isConnected, below(3) == 0 {
      for _ in 0...below(2) {
        moments.append((below(Self.length), below(2 * 3_600_000) - 3_600_000))
      }
    }
    jumps = moments.count
    var outages: [Range<Int64>] = []
    var silences: [Range<Int64>] = []
    if !isConnected {
      for _ in 0..<below(4) {
        let from = below(Self.length)
        outages.append(from..<(from + 60_000 + below(2 * 3_600_000)))
      }
      for _ in 0..<below(3) {
        let from = below(Self.length)
        silences.append(from..<(from + 60_000 + below(3_600_000)))
      }
    }
    var (made, free) = (below(interval), Int64(0))
    while made < Self.length {
      defer { made += interval + below(500) }
      if silences.contains(where: { $0.contains(made) }) { continue }
      let clock =
        offset + made * drift / 1_000_000
        + moments.filter { $0.at <= made }.map(\.by).reduce(0, +)
      var sent = made
      while let outage = outages.first(where: { $0.contains(sent) }) { sent = outage.upperBound }
      // One message after the other, in their order.
      let arrived = max(sent + 30 + below(1500), free + 20 + below(100))
      free = arrived
      samples.append(Sample(made: made, stated: made + clock, arrived: arrived))
    }
    for _ in 0..<20 { orders.append(below(Self.length)) }
  }

  /// Returns the violated rules.
  func faults(_ tally: inout Tally) -> [String] {
    var faults: [String] = []
    var clock = PhoneClock()
    var isAnswered: [Int64: Int64] = [:]
    if jumps > 0 { tally.jumps += 1 }
    var lastUndelayed: Int64?
    for sample in samples {
      tally.samples += 1
      let now = ClockReading(
        instant: Instant(microseconds: sample.arrived * 1000),
        wall: Timestamp(milliseconds: Self.start + sample.arrived), boot: sample.arrived,
        entropy: .zero)
      let time = Timestamp(milliseconds: Self.start + sample.stated)
      let age = clock.age(of: .stated(time), arriving: now)
      guard let least = age.leastMilliseconds else {
        faults.append("unknown")
        continue
      }
      if least < sample.arrived - sample.stated { faults.append("younger than its time") }
      if sample.delay > 60_000 { tally.buffered += 1 }
      let isAhead = sample.stated >= sample.made
      if sample.delay <= Self.undelayed { lastUndelayed = sample.arrived }
      let hasUndelayed = lastUndelayed.map { sample.arrived - $0 <= 3_600_000 } ?? false
      if isAhead { tally.ahead += 1 }
      if jumps == 0, isAhead, hasUndelayed {
        tally.undelayed += 1
        tally.worstBelowTruthMilliseconds = max(
          tally.worstBelowTruthMilliseconds, sample.delay - least)
        if least < sample.delay - 2000 { faults.append("\(sample.delay - least) ms too young") }
      }
      // As `Evidence.fix(of:)`: made at the earliest.
      guard let doubt = age.doubtMilliseconds else { continue }
      let earliest = sample.arrived - least - doubt
      for order in orders where sample.arrived >= order && earliest >= order {
        if sample.made < order { faults.append("an order answered by an earlier fix") }
        if isAnswered[order] == nil { isAnswered[order] = sample.arrived }
      }
    }
    tally.orders += orders.count
    tally.answered += isAnswered.count
    guard isConnected, abs(offset) <= 120_000 else { return faults }
    for order in orders where order < Self.length - 300_000 {
      // The certain moment: the arrival of the first fix that was made after the order by what the
      // clock may lag, and the doubt.
      let lag = max(0, -offset) + 2000 + SampleAge.steadyDoubtMilliseconds
      guard let next = samples.first(where: { $0.made >= order + lag }) else { continue }
      let certain = next.arrived
      tally.punctual += 1
      let counted = isAnswered[order] ?? .max
      if counted > certain + 60_000 {
        faults.append("presence counts \((counted - certain) / 1000) s late")
      } else {
        tally.worstPunctualMilliseconds = max(tally.worstPunctualMilliseconds, counted - certain)
      }
    }
    return faults
  }
}
