import MusterModel
import Testing

@testable import MusterReplica

/// People who fell silent with one laptop share an alert.
@Suite struct SilenceFoldingTests {
  private static func bytes(_ number: Int) -> Bytes16 { Bytes16(high: 0, low: UInt64(number)) }

  private func person(_ number: Int, silentSeconds: Int64, isSilent: Bool = true) -> UserSummary {
    var person = UserSummary(
      id: UserID(raw: Self.bytes(number)), callsign: "P\(number)", role: .member,
      status: isSilent ? .noContact : .ok, severity: isSilent ? .warning : .neutral, reason: "",
      fix: nil, reportedAt: nil, fixAgeSeconds: nil, team: "",
      trackerOwner: nil, selfReport: nil, override: nil)
    person.age = ContactAge(seconds: silentSeconds, atMostSeconds: silentSeconds, reason: nil)
    return person
  }

  private func silent(_ number: Int) -> AlertTracker.Finding {
    AlertTracker.Finding(
      id: AlertID(kind: .silent, row: RowID(raw: Self.bytes(number))), level: .warning,
      phrase: Phrase(.silent, ["names": .text("P\(number)")]))
  }

  private func fold(
    _ ages: [Int: Int64], inContact: [Int: Int64] = [:], lost: [Int: Int64],
    stored: AlertTracker = AlertTracker()
  ) -> [AlertTracker.Finding] {
    let people =
      ages.map { person($0.key, silentSeconds: $0.value) }
      + inContact.map { person($0.key, silentSeconds: $0.value, isSilent: false) }
    return SilenceFolding(
      stored: stored, people: Dictionary(uniqueKeysWithValues: people.map { ($0.id, $0) }),
      lost: {
        Dictionary(uniqueKeysWithValues: lost.map { (UserID(raw: Self.bytes($0.key)), $0.value) })
      }
    ).folding(ages.keys.sorted().map(silent))
  }

  @Test func `a laptop that is lost twice hides no one of its first group`() throws {
    // Given 1 was lost with 2 and 3 behind it, and has returned alone
    var stored = AlertTracker()
    let now = Timestamp(milliseconds: 1_700_000_000_000)
    let first = fold([1: 700, 2: 710, 3: 720], lost: [1: 700], stored: stored)
    #expect(first.map(\.text) == ["no contact with P1 and 2 people behind it: P2, P3"])
    stored.update(first, now: now) { _ in [] }
    let rest = fold([2: 1710, 3: 1720], lost: [1: 0], stored: stored)
    #expect(rest.map(\.text) == ["no contact with P2, P3"])
    stored.update(rest, now: now) { _ in [] }

    // When it is lost again, with 4 and 5 behind it, and 6 was silent before
    let again = fold(
      [1: 650, 2: 2710, 3: 2720, 4: 640, 5: 660, 6: 900], lost: [1: 650], stored: stored)

    // Then each is shown once
    #expect(Set(again.map(\.id)).count == again.count)
    #expect(
      Set(again.map(\.text)) == [
        "no contact with P2, P3", "no contact with P1 and 2 people behind it: P4, P5",
        "no contact with P6",
      ])
  }

  @Test func `people who are lost with a laptop one after another raise one alert`() throws {
    // Given a laptop that is lost, and people behind it who reach the silence setting later
    #expect(fold([1: 600], inContact: [2: 580, 3: 545], lost: [1: 600]).isEmpty)
    #expect(fold([1: 625, 2: 605], inContact: [3: 570], lost: [1: 625]).isEmpty)

    // When the last one does
    let all = fold([1: 656, 2: 636, 3: 601], inContact: [9: 5], lost: [1: 656])

    // Then they are one alert, that who is silent later still joins
    #expect(all.map(\.text) == ["no contact with P1 and 2 people behind it: P2, P3"])
    var stored = AlertTracker()
    let now = Timestamp(milliseconds: 1_700_000_000_000)
    stored.update(all, now: now) { _ in [] }
    #expect(AlertChange.between([], and: stored.alerts).count == 1)
    let more = fold([1: 700, 2: 680, 3: 645, 4: 650, 5: 900], lost: [1: 700], stored: stored)
    #expect(
      Set(more.map(\.text)) == [
        "no contact with P1 and 3 people behind it: P2, P3, P4", "no contact with P5",
      ])
  }

  @Test func `no one waits whose laptop was not lost, or for longer than a minute`() {
    // Others who report seldom are about to be silent too.
    #expect(
      fold([2: 600], inContact: [3: 590], lost: [1: 20]).map(\.text) == ["no contact with P2"])
    #expect(
      fold([1: 661], inContact: [3: 599], lost: [1: 661]).map(\.text) == ["no contact with P1"])
    // A silence setting of a minute: who is in contact is not about to be silent.
    #expect(fold([1: 60], inContact: [3: 30], lost: [1: 60]).map(\.text) == ["no contact with P1"])
  }
}

extension AlertTracker.Finding {
  fileprivate var text: String { phrase.text }
}
