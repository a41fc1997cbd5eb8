import MusterGeo
import MusterModel
import Testing

@Suite struct SafetyAssessmentTests {
  private let camp = SafetyZone(
    name: "Camp", fence: PreparedFence(.circle(center: degrees(46, 14), radiusCentimetres: 20_000)))
  private let dam = SafetyZone(
    name: "Dam", fence: PreparedFence(.circle(center: degrees(46.1, 14), radiusCentimetres: 50_000))
  )
  private let atCamp = degrees(46, 14)
  private let atDam = degrees(46.1, 14)
  private let elsewhere = degrees(46.2, 14)

  /// A user last seen so many minutes ago, while a muster is called at the camp and the dam is a
  /// hazard.
  private func judge(
    at place: Coordinate?, minutesAgo: Double = 1, claim: (SafetyClaim, String)? = nil,
    overruler: String? = nil,
    isMusterCalled: Bool = true, thresholdMinutes: Int64 = 10
  ) -> SafetyAssessment {
    let now = Timestamp(milliseconds: 1_700_000_000_000)
    let reported = Timestamp(milliseconds: now.milliseconds - Int64(minutesAgo * 60_000))
    // The sample time of a replayed track is years old and must not matter.
    let position = place.map {
      PositionReport(
        fix: Fix(position: $0, sampleTime: Timestamp(milliseconds: 0)), reportedAt: reported)
    }
    return SafetyAssessment(
      claim: claim.map { (claim: $0.0, note: $0.1) }, overruler: overruler, position: position,
      fixAgeMilliseconds: position.map { max(0, now.milliseconds(since: $0.reportedAt)) },
      contactMilliseconds: nil,
      musterZones: isMusterCalled ? [camp] : [], hazardZones: [dam],
      silenceThresholdMilliseconds: thresholdMinutes * 60_000)
  }

  private func words(_ assessment: SafetyAssessment) -> String {
    "\(assessment.state): \(assessment.reason)"
  }

  @Test func `Somebody at the muster is safe`() {
    #expect(words(judge(at: atCamp)) == "safe: inside muster zone Camp")
    #expect(judge(at: atCamp).ageSeconds == 60)
  }

  @Test func `Somebody elsewhere is unsafe while a muster is called, and unknown otherwise`() {
    #expect(words(judge(at: elsewhere)) == "unsafe: outside the muster zone")
    #expect(words(judge(at: elsewhere, isMusterCalled: false)) == "unknown: no muster called")
  }

  @Test func `Somebody at a hazard is unsafe, said what may be and however long ago`() {
    #expect(words(judge(at: atDam)) == "unsafe: inside hazard zone Dam")
    #expect(words(judge(at: atDam, claim: (.safe, ""))) == "unsafe: inside hazard zone Dam")
    #expect(words(judge(at: atDam, minutesAgo: 300)) == "unsafe: inside hazard zone Dam")
    #expect(judge(at: atDam, minutesAgo: 300).ageSeconds == 18_000)
    #expect(
      words(judge(at: atDam, isMusterCalled: false)) == "unsafe: inside hazard zone Dam")
  }

  @Test func `Command's word is told as such`() {
    #expect(
      words(judge(at: nil, claim: (.safe, "in hospital"), overruler: "Anna"))
        == "safe: safe, says Anna: in hospital")
    #expect(
      words(judge(at: atCamp, claim: (.needsHelp, ""), overruler: "Anna"))
        == "unsafe: needs help, says Anna")
  }

  @Test func `A call for help comes before everything`() {
    #expect(
      words(judge(at: atCamp, claim: (.needsHelp, "leg broken")))
        == "unsafe: asked for help: leg broken")
    #expect(words(judge(at: atDam, claim: (.needsHelp, ""))) == "unsafe: asked for help")
    #expect(words(judge(at: nil, claim: (.needsHelp, ""))) == "unsafe: asked for help")
  }

  @Test func `A long note is cut to one short line`() {
    let note = String(repeating: "é", count: 200) + "\nsecond line"
    let reason = judge(at: nil, claim: (.needsHelp, note)).reason
    #expect(reason == "asked for help: " + String(repeating: "é", count: 79) + "…")
    #expect(
      judge(at: nil, claim: (.needsHelp, "\nleg\nbroken")).reason == "asked for help: leg")
  }

  @Test func `Somebody's word counts where nothing speaks against it`() {
    #expect(words(judge(at: elsewhere, claim: (.safe, ""))) == "safe: said safe")
    #expect(words(judge(at: elsewhere, minutesAgo: 99, claim: (.safe, ""))) == "safe: said safe")
    let unheard = judge(at: nil, claim: (.safe, ""))
    #expect(words(unheard) == "safe: said safe")
    #expect(unheard.ageSeconds == nil)
  }

  @Test func `Silence makes the state unknown, at the muster too`() {
    #expect(words(judge(at: nil)) == "unknown: no position yet")
    #expect(words(judge(at: atCamp, minutesAgo: 10)) == "safe: inside muster zone Camp")
    #expect(words(judge(at: atCamp, minutesAgo: 42)) == "unknown: no fix for 42 min")
    #expect(words(judge(at: elsewhere, minutesAgo: 42)) == "unknown: no fix for 42 min")
    #expect(words(judge(at: atCamp, minutesAgo: 60 * 5)) == "unknown: no fix for 5 h")
    #expect(words(judge(at: atCamp, minutesAgo: 60 * 24 * 3)) == "unknown: no fix for 3 d")
    #expect(
      words(judge(at: atCamp, minutesAgo: 1.5, thresholdMinutes: 1)) == "unknown: no fix for 90 s")
    #expect(SafetyAssessment.silenceThresholdMilliseconds == 600_000)
  }

  @Test func `A clock that runs ahead makes no negative age`() {
    let assessment = judge(at: atCamp, minutesAgo: -60)
    #expect(assessment.ageSeconds == 0)
    #expect(words(assessment) == "safe: inside muster zone Camp")
  }

  @Test func `22.13: a clock that runs ahead does not keep a silent person in contact`() {
    let now = Timestamp(milliseconds: 1_700_000_000_000)
    let position = PositionReport(
      fix: Fix(position: atCamp, sampleTime: now),
      reportedAt: Timestamp(milliseconds: now.milliseconds + 86_400_000))
    let assessment = SafetyAssessment(
      claim: nil, overruler: nil, position: position, fixAgeMilliseconds: 0,
      contactMilliseconds: 660_000,
      musterZones: [camp], hazardZones: [], silenceThresholdMilliseconds: 600_000)
    #expect(assessment.ageSeconds == 0)
    #expect(words(assessment) == "unknown: no fix for 11 min")
  }

  @Test func `contact since an old fix keeps somebody in contact`() {
    let position = PositionReport(
      fix: Fix(position: atCamp, sampleTime: Timestamp(milliseconds: 0)),
      reportedAt: Timestamp(milliseconds: 0))
    func judge(contact: Int64) -> String {
      words(
        SafetyAssessment(
          claim: nil, overruler: nil, position: position, fixAgeMilliseconds: 3_600_000,
          contactMilliseconds: contact, musterZones: [camp], hazardZones: [],
          silenceThresholdMilliseconds: 600_000))
    }
    #expect(judge(contact: 600_000) == "safe: inside muster zone Camp")
    #expect(judge(contact: 900_000) == "unknown: no contact for 15 min")
    #expect(judge(contact: .max) == "unknown: contact not confirmed")
  }

  @Test func `On the muster zone's edge is inside`() {
    let yard = SafetyZone(
      name: "Yard",
      fence: PreparedFence(.polygons([FencePolygon(outer: square(around: (46, 14), half: 0.01))])))
    let now = Timestamp(milliseconds: 0)
    let position = PositionReport(
      fix: Fix(position: degrees(46.01, 14), sampleTime: now), reportedAt: now)
    let assessment = SafetyAssessment(
      claim: nil, overruler: nil, position: position, fixAgeMilliseconds: 0,
      contactMilliseconds: 0, musterZones: [camp, yard],
      hazardZones: [],
      silenceThresholdMilliseconds: 600_000)
    #expect(words(assessment) == "safe: inside muster zone Yard")
  }
}
