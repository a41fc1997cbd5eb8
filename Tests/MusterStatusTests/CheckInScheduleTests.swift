import MusterModel
import MusterStatus
import MusterTestKit
import Testing

/// Random schedules of one author at one observer: boot clocks that start at any time and drift,
/// records that are delayed, echoes that arrive or do not. The checks compare with the true times
/// of what the observer held.
@Suite struct CheckInScheduleTests {
  /// A boot clock. Two of them satisfy the drift that dates allow for.
  private struct Clock {
    let bootedAt: Int64
    let driftPartsPerMillion: Int64

    func reading(_ time: Int64) -> Int64 {
      let elapsed = time - bootedAt
      return elapsed + elapsed * driftPartsPerMillion / 1_000_000
    }
  }

  /// A start or a check-in.
  private struct Sent {
    let madeAt: Int64
    let arrivesAt: Int64
    let record: StampedRecord
    let nextSeconds: UInt32
  }

  private struct Held {
    let sent: Sent
    let made: Span
  }

  private let observer = DeviceID(number: 1)
  private let author = DeviceID(number: 2)
  private let boot = BootID(raw: Bytes16(high: 7, low: 7))

  private func id(_ number: Int) -> StampedRecordID {
    StampedRecordID(raw: Bytes16(high: 9, low: UInt64(number)))
  }

  private func clock(using random: inout SplitMix64) -> Clock {
    Clock(
      bootedAt: -Int64(random.number(below: 30 * 86_400_000)),
      driftPartsPerMillion: Int64(random.number(below: 181)) - 90)
  }

  /// Returns the reports in the order in which they are made. The observer's anchors are the
  /// records 1 to 20, one each minute.
  private func schedule(_ clock: Clock, using random: inout SplitMix64) throws -> [Sent] {
    let nextSeconds = UInt32(10 + random.number(below: 600))
    let slowestMilliseconds = random.choice(of: [50, 5000, 600_000])
    let isEchoing = !random.chance(oneIn: 3)
    var time: Int64 = 60_000
    var all: [Sent] = []
    for number in 0..<(1 + random.number(below: 8)) {
      let anchor = Int(time / 60_000)
      let echoes = isEchoing && random.chance(oneIn: 2) ? [id(min(20, anchor))] : []
      let stamp = try #require(Stamp(boot: boot, milliseconds: clock.reading(time)))
      let record = try #require(
        StampedRecord(id: id(100 + number), author: author, stamp: stamp, echoes: echoes))
      all.append(
        Sent(
          madeAt: time, arrivesAt: time + 1 + Int64(random.number(below: slowestMilliseconds)),
          record: record, nextSeconds: nextSeconds))
      time += Int64(1000 + random.number(below: Int(nextSeconds) * 1500))
    }
    return all
  }

  @Test(arguments: 0..<10)
  func `no alarm is missed, none is false, and each due time is in its interval`(
    _ group: Int
  ) throws {
    for seed in (group * 100)..<(group * 100 + 100) {
      var random = SplitMix64(seed: UInt64(seed))
      let (here, there) = (clock(using: &random), clock(using: &random))
      let sent = try schedule(there, using: &random)
      var evidence = AgeEvidence(observer: observer)
      for number in 1...20 {
        evidence.insertOwn(
          id(number), isAnchor: true, at: here.reading(Int64(number) * 60_000))
      }
      var held: Held?
      for arrival in sent.sorted(by: { $0.arrivesAt < $1.arrivesAt }) {
        let now = here.reading(arrival.arrivesAt)
        let made = evidence.insert(arrival.record, at: now).made
        // A report supersedes all earlier ones, in any order of arrival.
        if held.map({ $0.sent.madeAt < arrival.madeAt }) ?? true {
          held = Held(sent: arrival, made: made)
        }
        let newest = try #require(held)
        for later in [0, 1000, Int64(newest.sent.nextSeconds) * 1000, 3_600_000] {
          check(newest, evidence, here, at: arrival.arrivesAt + later, seed)
        }
      }
    }
  }

  private func check(
    _ held: Held, _ evidence: AgeEvidence, _ clock: Clock, at time: Int64, _ seed: Int
  ) {
    let known = evidence.date(held.sent.record.stamp, of: author)
    let made = known.flatMap(held.made.intersection) ?? held.made
    let report = CheckInEvidence.Report(made: made, nextSeconds: held.sent.nextSeconds)
    guard let due = CheckInEvidence(start: report, reports: [report]).due else {
      Issue.record("no due time, seed \(seed)")
      return
    }
    let duration = Int64(held.sent.nextSeconds) * 1000
    let trueDue = clock.reading(held.sent.madeAt) + duration
    let latestAllowed = clock.reading(held.sent.arrivesAt) + duration
    #expect(due.earliest <= trueDue && trueDue <= due.latest, "within [E, L], seed \(seed)")
    #expect(due.latest <= latestAllowed, "not later than receipt plus duration, seed \(seed)")
    let timer = TimerEvidence(
      id: RowID(number: 1), due: due, graceMilliseconds: 0, isSatisfied: false)
    let state = timer.state(at: clock.reading(time))
    if clock.reading(time) >= latestAllowed {
      #expect(state >= .overdue, "a missed alarm, seed \(seed)")
    }
    if clock.reading(time) < trueDue {
      #expect(state < .overdue, "a false alarm, seed \(seed)")
    }
  }
}
