import MusterModel
import MusterReplica
import MusterTestKit
import Testing

/// Drawn histories of phones beside the true time of their last message: who is out of contact is
/// shown as that, and no one else.
@Suite("Silences of phones")
struct PhoneSilenceTests {
  /// One phone: when its messages arrive at Ben's laptop, in milliseconds from the start.
  private struct History {
    let name: String
    let silenceSeconds: UInt32
    private(set) var arrivals: [Int64] = []

    /// Reports in regular or irregular intervals, with outages after which stored messages arrive
    /// at once, and silences.
    init(_ name: String, until end: Int64, _ random: inout SplitMix64) {
      self.name = name
      silenceSeconds = random.choice(of: [600, 600, 1800])
      func below(_ bound: Int64) -> Int64 { Int64(random.next() % UInt64(bound)) }
      let interval: Int64 = random.choice(of: [5000, 10_000, 30_000, 60_000, 300_000])
      var at = below(interval)
      while at < end {
        if below(60) == 0 {
          at += 60_000 + below(4_000_000)
          for _ in 0..<below(6) { arrivals.append(at + below(2000)) }
        }
        arrivals.append(at)
        at += max(interval - interval / 4 + below(interval / 2), 1000)
      }
      arrivals = arrivals.filter { $0 < end }.sorted()
    }

    /// Returns the time since the last message; nil before the first.
    func quiet(at time: Int64) -> Int64? { arrivals.last { $0 <= time }.map { time - $0 } }
  }

  private struct Tally {
    var shown = 0
    var inContact = 0
    var early: [String] = []
    var missed: [String] = []
    var latest: Int64 = 0
  }

  private static let phones = 20
  private static let length: Int64 = 4_800_000
  private static let step: Int64 = 5000
  /// Ada's laptop learns of a contact over the network.
  private static let delivery: Int64 = 2000

  /// `MUSTER_VOLUME=10000` draws as many histories, twenty in one valley; `MUSTER_TEST_SEED`
  /// replays one valley.
  @Test func `no phone is shown out of contact within its silence, and each one a minute after it`()
    throws
  {
    var tally = Tally()
    let valleys = max((Volume.orUsual(Self.phones) + Self.phones - 1) / Self.phones, 1)
    for seed in Volume.onlySeed.map({ $0...$0 }) ?? 1...UInt64(valleys) {
      try Self.play(seed, &tally)
      #expect(
        tally.early.isEmpty && tally.missed.isEmpty,
        "replay with MUSTER_TEST_SEED=\(seed): \(tally.early.prefix(3)) \(tally.missed.prefix(3))")
      if !tally.early.isEmpty || !tally.missed.isEmpty { return }
    }
    print(
      "silences of phones: \(tally.shown) shown, \(tally.inContact) in contact, the latest "
        + "\(tally.latest) ms after the setting")
    #expect(tally.shown > 0 && tally.inContact > 0)
  }

  private static func play(_ seed: UInt64, _ tally: inout Tally) throws {
    var random = SplitMix64(seed: seed)
    var valley = try Valley.with("Ada", "Ben")
    valley.checksInvariants = false
    for name in valley.names {
      try valley.at(name) { try $0.ingest(fix(metresNorth: 9000, second: 0), now: $1) }
    }
    try valley.run(milliseconds: 90_000)
    let histories = (0..<phones).map { History("Phone \($0)", until: length, &random) }
    for history in histories {
      try valley.at("Ben") { try $0.recordContact(ofTracker: history.name, now: $1) }
    }
    try valley.converge()
    let people = try valley.ask("Ada") { try $0.statuses(now: $1).users() }
    for history in histories where history.silenceSeconds != 600 {
      let user = try #require(people.first { $0.callsign == history.name }).id
      try valley.at("Ada") {
        try $0.write(SettingRequests.setSilence(seconds: history.silenceSeconds, of: user), now: $1)
      }
    }
    try valley.converge()
    let start = valley.now
    func elapsed() -> Int64 { valley.now.milliseconds(since: start) }
    var arrivals = histories.flatMap { history in history.arrivals.map { ($0, history.name) } }
      .sorted { $0 < $1 }[...]
    while elapsed() < length {
      let end = elapsed() + step
      while let (at, name) = arrivals.first, at <= end {
        arrivals.removeFirst()
        if at > elapsed() { try valley.run(milliseconds: at - elapsed()) }
        if random.chance(oneIn: 3) {
          try valley.at("Ben") { try $0.recordContact(ofTracker: name, now: $1) }
        } else {
          let age = random.choice(of: [
            SampleAge.about(milliseconds: 200), .atLeast(milliseconds: 7_200_000), .unknown,
          ])
          let fix = TrackedFix(
            fix(metresNorth: Int64(random.number(below: 50)), second: elapsed() / 1000), of: name,
            age: age)
          try valley.at("Ben") { try $0.ingest([fix], now: $1).outcome }
        }
      }
      if end > elapsed() { try valley.run(milliseconds: end - elapsed()) }
      for name in valley.names {
        let users = try valley.ask(name) { try $0.statuses(now: $1).users() }
        for history in histories {
          try judge(history, at: elapsed(), users, by: name, &tally)
        }
      }
    }
  }

  private static func judge(
    _ history: History, at time: Int64, _ users: [UserSummary], by name: String,
    _ tally: inout Tally
  ) throws {
    guard let quiet = history.quiet(at: time) else { return }
    let user = try #require(users.first { $0.callsign == history.name })
    let silence = Int64(history.silenceSeconds) * 1000
    let network = name == "Ben" ? 0 : delivery
    let isShown = user.has(.noContact)
    let fault = "\(history.name) by \(name) at \(time) ms, quiet for \(quiet) of \(silence) ms"
    if isShown {
      tally.shown += 1
      // What has not arrived yet is not known.
      if quiet <= silence, quiet > network { tally.early.append(fault) }
    } else {
      tally.inContact += 1
      tally.latest = max(tally.latest, quiet - silence)
      if quiet > silence + 60_000 + network { tally.missed.append(fault) }
    }
  }
}
