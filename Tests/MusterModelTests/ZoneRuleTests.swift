import MusterModel
import Testing

@Suite("Rules of zones")
struct ZoneRuleTests {
  @Test func `a rule is read as it was written`() throws {
    let rules = [
      ZoneRule(kind: .atLeast, number: 1, role: .command),
      ZoneRule(kind: .atMost, number: 0), ZoneRule(kind: .entryBy, number: 1800, team: "North"),
      ZoneRule(kind: .within, number: 200),
    ]
    for rule in rules { #expect(try ZoneRule(decoding: rule.encoded()) == rule) }
    #expect(
      rules.map(\.words) == [
        "at least 1 person of role command", "at most 0 people",
        "an entry within 30 min of team North", "no one within 200 m",
      ])
  }

  @Test func `numbers out of range, unknown codes and trailing bytes are rejected`() {
    let rejected = [
      ZoneRule(kind: .atLeast, number: 0), ZoneRule(kind: .atMost, number: 10_001),
      ZoneRule(kind: .entryBy, number: 0), ZoneRule(kind: .entryBy, number: 604_801),
      ZoneRule(kind: .within, number: 100_001),
      ZoneRule(kind: .atLeast, number: 1, role: .member, team: "North"),
      ZoneRule(kind: .atLeast, number: 1, team: "two\nlines"),
    ]
    for rule in rejected {
      #expect(!Field.fenceRules.accepts(.bytes(rule.encoded())), "\(rule.words)")
    }
    let good = ZoneRule(kind: .atMost, number: 5, role: .member).encoded()
    #expect(Field.fenceRules.accepts(.bytes(good)))
    #expect(!Field.fenceRules.accepts(.bytes(good + [0])))
    for (index, code) in [(0, UInt8(0)), (0, 5), (1, 6)] {
      var bytes = good
      bytes[index] = code
      #expect(!Field.fenceRules.accepts(.bytes(bytes)))
    }
    for length in 0..<good.count {
      #expect(!Field.fenceRules.accepts(.bytes(Array(good.prefix(length)))))
    }
  }
}
