import MusterModel
import MusterTestKit
import Testing

@testable import MusterGeo

/// A person with a tracker, walking about near a camp whose edge is 1,113 m from its middle.
private struct Walk {
  var detector = CrossingDetector()
  var fences: [FenceUnderWatch]
  private var seconds: Int64 = 0

  init(_ fences: [FenceUnderWatch]) { self.fences = fences }

  /// A fix ten seconds after the one before; `north` in metres from the camp's middle.
  mutating func fix(north: Double, accuracy: UInt32? = 5) -> [String] {
    seconds += 10
    return fix(north: north, accuracy: accuracy, atSecond: seconds)
  }

  mutating func fix(north: Double, accuracy: UInt32? = 5, atSecond second: Int64) -> [String] {
    let sample = Fix(
      position: degrees(north / 110_574, 0), accuracyDecimetres: accuracy.map { $0 * 10 },
      sampleTime: Timestamp(milliseconds: second * 1000))
    let transitions = detector.observe(sample, fences: fences)
    detector.checkInvariants()
    return transitions.map { transition in
      #expect(transition.fix == sample)
      return "\(transition.type.name) \(transition.fence.raw.low) #\(transition.number)"
        + " v\(transition.version.raw.low)" + (transition.isBaseline ? " baseline" : "")
    }
  }
}

private func camp(
  _ id: UInt64 = 1, version number: UInt64 = 1, isActive: Bool = true, half: Double = 0.01,
  at latitude: Double = 0, mode: FenceMode = .careful,
  dwell: UInt32 = 0
) -> FenceUnderWatch {
  let outer = square(around: (latitude, 0), half: half)
  return FenceUnderWatch(
    id: fenceID(id), version: version(number), isActive: isActive,
    fence: PreparedFence(.polygons([FencePolygon(outer: outer)])), mode: mode, dwellSeconds: dwell)
}

@Suite struct CrossingDetectorTests {
  @Test func `A subject walks in and out again: one ENTER, one EXIT, numbered`() {
    var walk = Walk([camp()])
    #expect(walk.detector.presence(in: fenceID(1)) == .unknown)
    #expect(walk.fix(north: 3000) == [], "a first fix outside is no event")
    #expect(walk.detector.presence(in: fenceID(1)) == .outside)
    #expect(walk.fix(north: 1000) == ["ENTER 1 #1 v1"])
    #expect(walk.detector.presence(in: fenceID(1)) == .inside)
    #expect(walk.fix(north: 0) == [])
    #expect(walk.fix(north: 2000) == ["EXIT 1 #2 v1"])
    #expect(walk.detector.presence(in: fenceID(1)) == .outside)
    #expect(walk.fix(north: 500) == ["ENTER 1 #3 v1"])
  }

  @Test func `An old fix moves a subject through the zones of programs only`() {
    let zones = [camp(), camp(2, mode: .strictAWS)]
    var walk = Walk(zones)
    #expect(walk.fix(north: 3000, atSecond: 100) == [])
    func old(north: Double, atSecond second: Int64) -> [String] {
      let sample = Fix(
        position: degrees(north / 110_574, 0), accuracyDecimetres: 50,
        sampleTime: Timestamp(milliseconds: second * 1000))
      let transitions = walk.detector.observeOld(sample, fences: FenceIndex(zones))
      walk.detector.checkInvariants()
      return transitions.map { "\($0.type.name) \($0.fence.raw.low) #\($0.number)" }
    }
    #expect(old(north: 0, atSecond: 110) == ["ENTER 2 #1"])
    #expect(old(north: 3000, atSecond: 105) == [], "earlier than the newest")
    #expect(walk.detector.presence(in: fenceID(1)) == .outside)
    #expect(walk.fix(north: 0, atSecond: 120) == ["ENTER 1 #1 v1"])
    #expect(old(north: 3000, atSecond: 130) == ["EXIT 2 #2"])
    #expect(walk.detector.presence(in: fenceID(1)) == .inside)
    #expect(walk.fix(north: 3000, atSecond: 140) == ["EXIT 1 #2 v1"])
  }

  @Test func `A subject inside at the first fix enters as a baseline`() {
    var walk = Walk([camp()])
    #expect(walk.fix(north: 0) == ["ENTER 1 #1 v1 baseline"])
    #expect(walk.fix(north: 10) == [])
  }

  @Test func `ENTER is prompt however vague the fix`() {
    var walk = Walk([camp()])
    #expect(walk.fix(north: 3000) == [])
    #expect(walk.fix(north: 1100, accuracy: 5000) == ["ENTER 1 #1 v1"])
  }

  @Test func `A fix just outside whose accuracy reaches the edge needs a second one`() {
    var walk = Walk([camp()])
    _ = walk.fix(north: 0)
    #expect(walk.fix(north: 1130, accuracy: 50) == [], "24 m outside, within 50 m")
    #expect(walk.detector.presence(in: fenceID(1)) == .inside)
    #expect(walk.fix(north: 1130, accuracy: 50) == ["EXIT 1 #2 v1"], "two in a row")
  }

  @Test func `A flicker at the edge makes no event`() {
    var walk = Walk([camp()])
    _ = walk.fix(north: 0)
    for _ in 0..<5 {
      #expect(walk.fix(north: 1130, accuracy: 50) == [])
      #expect(walk.fix(north: 1090, accuracy: 50) == [])
    }
  }

  @Test func `The accuracy circle must be clear of the edge, to the metre`() {
    let edge = 0.01 * 110_574
    for (accuracy, leaves) in [(UInt32(20), false), (18, true)] {
      var walk = Walk([camp()])
      _ = walk.fix(north: 0)
      let events = walk.fix(north: edge + 19, accuracy: accuracy)
      #expect(events == (leaves ? ["EXIT 1 #2 v1"] : []))
    }
  }

  @Test func `A fix of unknown accuracy needs a second one, however far away`() {
    var walk = Walk([camp()])
    _ = walk.fix(north: 0)
    #expect(walk.fix(north: 90_000, accuracy: nil) == [])
    #expect(walk.fix(north: 90_000, accuracy: nil) == ["EXIT 1 #2 v1"])
  }

  @Test func `As AWS does it, the first fix outside is an EXIT`() {
    var walk = Walk([camp(mode: .strictAWS)])
    _ = walk.fix(north: 0)
    #expect(walk.fix(north: 1130, accuracy: nil) == ["EXIT 1 #2 v1"])
  }

  @Test func `A late fix and a repeated one change nothing`() {
    var walk = Walk([camp()])
    #expect(walk.fix(north: 3000, atSecond: 100) == [])
    #expect(walk.fix(north: 0, atSecond: 200) == ["ENTER 1 #1 v1"])
    let before = walk.detector
    #expect(walk.fix(north: 9000, atSecond: 199) == [])
    #expect(walk.fix(north: 9000, atSecond: 200) == [])
    #expect(walk.detector == before)
    #expect(walk.fix(north: 9000, atSecond: 201) == ["EXIT 1 #2 v1"])
  }

  @Test func `A late fix does not count as the second one outside`() {
    var walk = Walk([camp()])
    _ = walk.fix(north: 0, atSecond: 100)
    #expect(walk.fix(north: 1130, accuracy: 50, atSecond: 110) == [])
    #expect(walk.fix(north: 1130, accuracy: 50, atSecond: 105) == [])
    #expect(walk.fix(north: 0, atSecond: 120) == [])
  }

  @Test func `From one fence into others: EXITs first, each in the order of ids`() {
    // 3 and 7 around the camp's middle, 2, 5 and 9 a long way north of it.
    var walk = Walk([
      camp(9, at: 1), camp(7), camp(2, at: 1), camp(3), camp(5, half: 0.02, at: 1),
    ])
    #expect(walk.fix(north: 0) == ["ENTER 3 #1 v1 baseline", "ENTER 7 #1 v1 baseline"])
    #expect(
      walk.fix(north: 110_574)
        == ["EXIT 3 #2 v1", "EXIT 7 #2 v1", "ENTER 2 #1 v1", "ENTER 5 #1 v1", "ENTER 9 #1 v1"])
  }

  @Test func `A deactivated fence is forgotten without an event and starts again as unknown`() {
    var walk = Walk([camp(version: 1)])
    _ = walk.fix(north: 0)
    walk.fences = [camp(version: 2, isActive: false)]
    #expect(walk.fix(north: 0) == [])
    #expect(walk.detector.presence(in: fenceID(1)) == .unknown)
    walk.fences = [camp(version: 3)]
    #expect(walk.fix(north: 0) == ["ENTER 1 #2 v3 baseline"], "the count goes on")
  }

  @Test func `A fence that is deleted while a subject is inside yields no EXIT`() {
    var walk = Walk([camp(1), camp(2)])
    _ = walk.fix(north: 0)
    walk.fences = [camp(2)]
    #expect(walk.fix(north: 9000) == ["EXIT 2 #2 v1"])
  }

  @Test func `A fence that is drawn around a subject enters as a baseline`() {
    var walk = Walk([])
    #expect(walk.fix(north: 0) == [])
    walk.fences = [camp()]
    #expect(walk.fix(north: 0) == ["ENTER 1 #1 v1 baseline"])
  }

  @Test func `A fence that grows around a subject known to be outside is an ordinary ENTER`() {
    var walk = Walk([camp(version: 1)])
    #expect(walk.fix(north: 1500) == [])
    walk.fences = [camp(version: 2, half: 0.02)]
    #expect(walk.fix(north: 1500) == ["ENTER 1 #1 v2"])
  }

  @Test func `An edit that keeps a subject inside is no event, and the state has its version`() {
    var walk = Walk([camp(version: 1)])
    _ = walk.fix(north: 0)
    walk.fences = [camp(version: 2, half: 0.02)]
    #expect(walk.fix(north: 1500) == [])
    #expect(walk.fix(north: 9000) == ["EXIT 1 #2 v2"])
  }

  @Test func `An edit that leaves a subject outside is an EXIT by the usual rule`() {
    var walk = Walk([camp(version: 1, half: 0.02)])
    _ = walk.fix(north: 1130)
    walk.fences = [camp(version: 2)]
    #expect(walk.fix(north: 1130, accuracy: 50) == [])
    #expect(walk.fix(north: 1130, accuracy: 50) == ["EXIT 1 #2 v2"])
  }

  @Test func `A fix outside the old outline does not count against the new one`() {
    var walk = Walk([camp(version: 1)])
    _ = walk.fix(north: 0)
    #expect(walk.fix(north: 1130, accuracy: 50) == [])
    walk.fences = [camp(version: 2, half: 0.0101)]
    #expect(walk.fix(north: 1130, accuracy: 50) == [], "the first one outside the new outline")
    #expect(walk.fix(north: 1130, accuracy: 50) == ["EXIT 1 #2 v2"])
  }

  @Test func `On the edge is inside`() {
    var walk = Walk([camp()])
    _ = walk.fix(north: 3000)
    let edge = Fix(position: degrees(0.01, 0), sampleTime: Timestamp(milliseconds: 60_000))
    #expect(walk.detector.observe(edge, fences: walk.fences).map(\.type) == [.enter])
  }

  @Test func `Many random fences agree with asking each of them alone`() {
    var random = SplitMix64(seed: 21)
    let fences = (0..<300).map { number in
      let center = place(
        Int64.random(in: -20_000_000...20_000_000, using: &random),
        Int64.random(in: -20_000_000...20_000_000, using: &random))
      let size = Int64.random(in: 10_000...6_000_000, using: &random)
      return FenceUnderWatch(
        id: fenceID(UInt64(number)), version: version(1), isActive: number % 7 != 0,
        fence: PreparedFence(
          number % 5 == 0
            ? .circle(center: center, radiusCentimetres: UInt32(size))
            : .polygons([
              FencePolygon(outer: random.star(around: center, size: size, vertices: 12))
            ])), mode: .strictAWS, dwellSeconds: 0)
    }
    let index = FenceIndex(fences.shuffled(using: &random))
    var detector = CrossingDetector()
    var inside: Set<RowID> = []
    var events = 0
    for step in 0..<500 {
      let fix = Fix(
        position: random.place(within: 25_000_000, of: place(0, 0)),
        sampleTime: Timestamp(milliseconds: Int64(step)))
      let now = Set(
        fences.filter { $0.isActive && $0.fence.contains(fix.position) }.map(\.id))
      #expect(index.positions(containing: fix.position).map { index.ids[$0] } == now.sorted())
      let transitions = detector.observe(fix, fences: index)
      detector.checkInvariants()
      #expect(
        transitions.filter { $0.type == .exit }.map(\.fence) == inside.subtracting(now).sorted())
      #expect(
        transitions.filter { $0.type == .enter }.map(\.fence) == now.subtracting(inside).sorted())
      #expect(transitions.allSatisfy { $0.isBaseline == (step == 0) })
      inside = now
      events += transitions.count
    }
    #expect(events > 1000, "the test saw crossings")
  }

  // MARK: Dwell time

  @Test func `With a dwell time ENTER waits for a fix that is so much later`() {
    var walk = Walk([camp(dwell: 30)])
    #expect(walk.fix(north: 3000, atSecond: 0) == [])
    #expect(walk.fix(north: 0, atSecond: 10) == [])
    #expect(walk.detector.presence(in: fenceID(1)) == .outside)
    #expect(walk.fix(north: 0, atSecond: 39) == [])
    #expect(walk.fix(north: 0, atSecond: 40) == ["ENTER 1 #1 v1"])
    #expect(walk.detector.presence(in: fenceID(1)) == .inside)
    #expect(walk.fix(north: 2000, atSecond: 41) == ["EXIT 1 #2 v1"], "EXIT knows no dwell time")
  }

  @Test func `Who passes through in less than the dwell time makes no event`() {
    var walk = Walk([camp(dwell: 30)])
    for start in [Int64(0), 100, 200] {
      #expect(walk.fix(north: -3000, atSecond: start) == [])
      #expect(walk.fix(north: 0, atSecond: start + 10) == [])
      #expect(walk.fix(north: 3000, atSecond: start + 20) == [], "ends the wait")
      #expect(walk.fix(north: 0, atSecond: start + 45) == [], "which starts again")
      #expect(walk.fix(north: 3000, atSecond: start + 60) == [])
    }
  }

  @Test func `A vague fix outside does not end the wait, two in a row do`() {
    var walk = Walk([camp(dwell: 30)])
    _ = walk.fix(north: 3000, atSecond: 0)
    #expect(walk.fix(north: 1100, accuracy: 50, atSecond: 10) == [])
    #expect(walk.fix(north: 1130, accuracy: 50, atSecond: 30) == [], "vague")
    #expect(walk.fix(north: 1100, accuracy: 50, atSecond: 40) == ["ENTER 1 #1 v1"])
    walk = Walk([camp(dwell: 30)])
    _ = walk.fix(north: 1100, accuracy: 50, atSecond: 10)
    _ = walk.fix(north: 1130, accuracy: 50, atSecond: 20)
    _ = walk.fix(north: 1130, accuracy: 50, atSecond: 30)
    #expect(walk.fix(north: 1100, accuracy: 50, atSecond: 45) == [], "the wait started again")
  }

  @Test func `Who was inside at the first fix enters as a baseline after the dwell time`() {
    var walk = Walk([camp(dwell: 30)])
    #expect(walk.fix(north: 0, atSecond: 0) == [])
    #expect(walk.fix(north: 0, atSecond: 30) == ["ENTER 1 #1 v1 baseline"])
  }

  @Test func `An edit during the dwell time keeps the wait, and a new dwell time applies at once`()
  {
    var walk = Walk([camp(version: 1, dwell: 600)])
    _ = walk.fix(north: 3000, atSecond: 0)
    _ = walk.fix(north: 0, atSecond: 10)
    walk.fences = [camp(version: 2, half: 0.02, dwell: 20)]
    #expect(walk.fix(north: 0, atSecond: 30) == ["ENTER 1 #1 v2"])
    walk.fences = [camp(version: 3, half: 0.02, dwell: 600)]
    #expect(walk.fix(north: 0, atSecond: 40) == [], "who has entered stays so")
    #expect(walk.detector.presence(in: fenceID(1)) == .inside)
  }

  @Test func `A fence that is deactivated during the dwell time forgets the wait`() {
    var walk = Walk([camp(version: 1, dwell: 30)])
    _ = walk.fix(north: 3000, atSecond: 0)
    _ = walk.fix(north: 0, atSecond: 10)
    walk.fences = []
    _ = walk.fix(north: 0, atSecond: 20)
    walk.fences = [camp(version: 2, dwell: 30)]
    #expect(walk.fix(north: 0, atSecond: 45) == [])
    #expect(walk.fix(north: 0, atSecond: 75) == ["ENTER 1 #1 v2 baseline"])
  }

  @Test func `A clock that is set back during the dwell time restarts the wait`() {
    var walk = Walk([camp(dwell: 30)])
    _ = walk.fix(north: 3000, atSecond: 90_000)
    _ = walk.fix(north: 0, atSecond: 90_010)
    walk.detector.clockWasSetBack()
    #expect(walk.fix(north: 0, atSecond: 100) == [])
    #expect(walk.fix(north: 0, atSecond: 129) == [])
    #expect(walk.fix(north: 0, atSecond: 130) == ["ENTER 1 #1 v1"])
  }

  @Test func `Times at the ends of the calendar do not overflow the wait`() {
    var walk = Walk([camp(dwell: .max)])
    let last = Int64.max / 1000
    _ = walk.fix(north: 0, atSecond: -last)
    #expect(walk.fix(north: 0, atSecond: last) == ["ENTER 1 #1 v1 baseline"])
  }
}
