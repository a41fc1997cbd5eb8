import MusterGeo
import MusterLocation
import MusterModel
import Testing

struct TrackerGateTests {
  private let wall: Int64 = 1_795_300_000_000

  private func now(_ seconds: Int64) -> ClockReading {
    ClockReading(
      instant: Instant(microseconds: seconds * 1_000_000),
      wall: Timestamp(milliseconds: wall + seconds * 1000), boot: seconds * 1000,
      entropy: .zero)
  }

  private func report(
    _ name: String, at seconds: Int64, latitude: Double = 46, alarm: String? = nil
  ) throws -> TrackerReport {
    TrackerReport(
      tracker: try #require(TrackerName(name)),
      fix: SourceFix(
        position: try #require(Coordinate(latitude: latitude, longitude: 14)),
        accuracyDecimetres: 50, sampleTime: Timestamp(milliseconds: wall + seconds * 1000)),
      alarm: TrackerAlarm(field: alarm, batteryPercent: 41.6))
  }

  private func isTaken(_ answer: TrackerGate.Answer) -> Bool {
    if case .taken = answer { true } else { false }
  }

  @Test func `each phone is judged by its own past`() throws {
    var gate = TrackerGate(known: [], mostTrackers: 2, now: now(0).instant)
    #expect(isTaken(gate.take(try report("a", at: 0), now: now(0))))
    #expect(isTaken(gate.take(try report("b", at: 0, latitude: 50), now: now(0))))
    #expect(gate.take(try report("a", at: 1, latitude: 50), now: now(1)) == .refused(.jump))
    #expect(gate.take(try report("a", at: 0), now: now(1)) == .refused(.old))
    guard case .taken(_, isLate: true) = gate.take(try report("b", at: -60), now: now(1)) else {
      Issue.record("a late fix is not known to be late")
      return
    }
  }

  @Test func `an alarm that a phone repeats for ever begins once`() throws {
    var gate = TrackerGate(known: [], mostTrackers: 2, now: now(0).instant)
    #expect(gate.beginningAlarm(of: try report("a", at: 0, alarm: "sos")) == nil, "unknown")
    var began = 0
    for second in Int64(0)..<1000 {
      let report = try report("a", at: second, alarm: "sos")
      _ = gate.take(report, now: now(second))
      if let alarm = gate.beginningAlarm(of: report) {
        began += 1
        #expect(alarm.note == "alarm by the phone, battery 42 %")
      }
    }
    #expect(began == 1)
    #expect(gate.beginningAlarm(of: try report("a", at: 1001)) == nil)
    #expect(gate.beginningAlarm(of: try report("a", at: 1002, alarm: "SOS")) != nil)
    let name = try #require(TrackerName("a"))
    gate.forgetAlarm(of: name)
    #expect(gate.beginningAlarm(of: try report("a", at: 1003, alarm: "sos")) != nil)
  }

  @Test func `only an alarm that a person raises, or a fall, is a call for help`() throws {
    for field in ["lowBattery", "powerCut", "", "0", "false", "geofenceEnter"] {
      #expect(TrackerAlarm(field: field, batteryPercent: nil) == nil, "\(field)")
    }
    let alarm = TrackerAlarm(field: "fallDown", batteryPercent: 900)
    #expect(alarm?.note == "alarm by the phone")
  }

  @Test func `each app's alarm field is read`() throws {
    let query = try OsmAndQuery.read("id=a&lat=46&lon=14&alarm=sos&batt=12.4")
    #expect(query.alarm?.batteryPercent == 12)
    let traccar = try TraccarMessage.read(
      Array(
        """
        {"location":{"timestamp":"2026-05-01T10:00:00Z","coords":{"latitude":46,"longitude":14},
        "battery":{"level":0.5},"extras":{"alarm":"sos"}},"device_id":"a"}
        """.utf8))
    #expect(traccar.alarm?.batteryPercent == 50)
    let ownTracks = try OwnTracksMessage.read(
      Array(
        "{\"_type\":\"location\",\"lat\":46,\"lon\":14,\"tid\":\"a\",\"batt\":7,\"alarm\":\"sos\"}"
          .utf8),
      user: nil, device: nil)
    #expect(ownTracks?.alarm?.batteryPercent == 7)
    #expect(try OsmAndQuery.read("id=a&lat=46&lon=14").alarm == nil)
  }

  @Test func `names that are made up find no room after the last place`() throws {
    let known = try #require(TrackerName("mine"))
    var gate = TrackerGate(known: [known], mostTrackers: 3, now: now(0).instant)
    let answers = try (0..<1000).map { gate.take(try report("x\($0)", at: 0), now: now(0)) }
    #expect(answers.count(where: isTaken) == 2)
    #expect(answers.last == .tooMany)
    #expect(gate.count == 3)
    #expect(isTaken(gate.take(try report("mine", at: 0), now: now(0))))
  }

  @Test func `a phone that sends without end gets one fix a second, and the others theirs`() throws
  {
    var gate = TrackerGate(known: [], mostTrackers: 2, now: now(0).instant)
    var taken = 0
    for number in 0..<1000 {
      let answer = gate.take(try report("loud", at: Int64(number) - 2000), now: now(0))
      taken += isTaken(answer) ? 1 : 0
    }
    #expect(taken == 300)
    #expect(gate.take(try report("loud", at: 0), now: now(0)) == .tooFast)
    #expect(isTaken(gate.take(try report("quiet", at: 0), now: now(0))))
    #expect(isTaken(gate.take(try report("loud", at: 1), now: now(1))))
    #expect(gate.take(try report("loud", at: 2), now: now(1)) == .tooFast)
  }
}
