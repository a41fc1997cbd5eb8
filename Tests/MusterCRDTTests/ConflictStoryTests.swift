import MusterModel
import Testing

@testable import MusterCRDT

/// Concurrent writes of two people to one field.
struct ConflictStoryTests {
  @Test("both titles are kept, the commander's is shown, and a write that saw both resolves it")
  func titles() {
    // given a report to which owner and commander give different titles
    let smoke = WrittenFrame(9, by: .owner, sets: .reportTitle, to: .text("smoke"))
    let fire = WrittenFrame(1, by: .commander, sets: .reportTitle, to: .text("fire"))
    var holder = Holder(.report)
    holder.receive([.create, smoke, fire])
    // then both are readable, and that of the higher role is shown
    #expect(holder.row.values(of: .reportTitle).map(\.value) == [.text("fire"), .text("smoke")])
    #expect(holder.row.shown(.reportTitle)?.value == .text("fire"))
    #expect(holder.row.conflicts == [.reportTitle])
    // when the owner, having seen both, writes a third
    holder.receive(
      WrittenFrame(
        3, by: .owner, sets: .reportTitle, to: .text("fire, out"), over: smoke, fire))
    // then only the third is live
    #expect(holder.row.values(of: .reportTitle).map(\.value) == [.text("fire, out")])
    #expect(holder.row.conflicts.isEmpty)
  }

  @Test("of equal roles the greater dot is shown, on every node alike")
  func equals() {
    let first = WrittenFrame(1, by: .deputy, sets: .reportTitle, to: .text("a"))
    let second = WrittenFrame(2, by: .commander, sets: .reportTitle, to: .text("b"))
    for order in [[first, second], [second, first]] {
      var holder = Holder(.report)
      holder.receive([.create] + order)
      #expect(holder.row.shown(.reportTitle)?.dot == second.dot())
    }
  }

  @Test("22.14: a hazard wins over any other kind of zone, regardless of roles")
  func hazardWins() {
    for other in [FenceKind.muster, .info] {
      let hazard = Value.code(FenceKind.hazard.rawValue)
      let careful = WrittenFrame(1, by: .deputy, sets: .fenceKind, to: hazard)
      let careless = WrittenFrame(2, by: .commander, sets: .fenceKind, to: .code(other.rawValue))
      for order in [[careful, careless], [careless, careful]] {
        var holder = Holder(.fence)
        holder.receive([.fenceCreate] + order)
        #expect(holder.row.shown(.fenceKind)?.value == hazard)
      }
    }
  }

  @Test("22.14: in a conflict a zone is active, but an assembly zone inactive")
  func active() {
    for kind in FenceKind.allCases {
      let frames = [
        WrittenFrame(1, by: .commander, sets: .fenceKind, to: .code(kind.rawValue)),
        WrittenFrame(2, by: .commander, sets: .fenceActive, to: .code(0)),
        WrittenFrame(3, by: .deputy, sets: .fenceActive, to: .code(1)),
      ]
      for order in [frames, frames.reversed()] {
        var holder = Holder(.fence)
        holder.receive([.fenceCreate] + order)
        #expect(holder.row.shown(.fenceActive)?.value == .code(kind == .muster ? 0 : 1))
      }
    }
  }

  /// The safer value is written by the lower role with the lesser dot, so that neither favours it.
  private static let safer: [(Field, safer: Value, other: Value)] = [
    (.reportStatus, .code(ReportStatus.open.rawValue), .code(ReportStatus.resolved.rawValue)),
    (.reportSeverity, .code(5), .code(4)),
    (.reportSeverity, .code(2), .code(1)),
  ]

  @Test("the shorter deadline wins, and an entry alert over none, regardless of roles")
  func alarmsFirst() {
    for (field, careful, careless) in [
      (Field.directiveDurationSeconds, Value.number(60), Value.number(900)),
      (.fenceEntryAlert, .code(1), .code(0)),
    ] {
      for (first, second) in [(careful, careless), (careless, careful)] {
        let one = WrittenFrame(1, by: .commander, sets: field, to: first)
        let other = WrittenFrame(2, by: .deputy, sets: field, to: second)
        for order in [[one, other], [other, one]] {
          var holder = Holder(.row(of: field.entity))
          holder.receive(field.entity == .fence ? .fenceCreate : .directiveCreate)
          holder.receive(order)
          #expect(holder.row.shown(field)?.value == careful)
        }
      }
    }
  }

  @Test("open wins over resolved, and the higher severity over the lower")
  func saferFirst() {
    for (field, safer, other) in Self.safer {
      let careful = WrittenFrame(1, by: .owner, sets: field, to: safer)
      let careless = WrittenFrame(2, by: .commander, sets: field, to: other)
      for order in [[careful, careless], [careless, careful]] {
        var holder = Holder(.row(of: field.entity))
        if field.entity == .report { holder.receive(.create) }
        holder.receive(order)
        #expect(holder.row.shown(field)?.value == safer)
        #expect(holder.row.values(of: field).count == 2)
      }
    }
  }

  @Test("of two commanders' concurrent overrides, the one that needs help wins")
  func needsHelp() {
    let help = WrittenFrame(
      1, by: .deputy, sets: .userSafetyOverride, to: .overruling(.needsHelp, note: "", seen: []))
    let safe = WrittenFrame(
      2, by: .commander, sets: .userSafetyOverride, to: .overruling(.safe, note: "", seen: []))
    var holder = Holder(.user)
    holder.receive([help, safe])
    #expect(holder.row.shown(.userSafetyOverride)?.dot == help.dot())
  }

  @Test("of concurrent values the more cautious wins: help, in the operation, the shorter")
  func dangerInPeople() {
    let positions = Accounting.example.positions
    let cases: [(Field, careful: Value, careless: Value)] = [
      (
        .userSafetyOverride, .overruling(.needsHelp, note: "", seen: []),
        .accounting(Accounting(note: "found", positions: positions))
      ),
      (
        .trackerSafetyOverride, .overruling(.needsHelp, note: "", seen: []),
        .accounting(Accounting(note: "found"))
      ),
      (
        .userRelayedClaim, .relayedClaim(.needsHelp, note: "", login: "ada", seen: []),
        .relayedClaim(.safe, note: "", login: "bea", seen: [])
      ),
      (.userSignOff, .signOn(reason: ""), .signOff(reason: "home", seen: [])),
      (.trackerSignOff, .signOn(reason: ""), .signOff(reason: "home", seen: [])),
      (.trackerSafetyClaim, .claim(.needsHelp, note: ""), .claim(.safe, note: "")),
      (.permitDurationSeconds, .number(60), .number(61)),
    ]
    for (field, careful, careless) in cases {
      // given that the careless value has the higher role, or the greater dot
      for names: (UInt64, UInt64) in [(1, 2), (2, 1)] {
        let one = WrittenFrame(names.0, by: .deputy, sets: field, to: careful)
        let other = WrittenFrame(names.1, by: .commander, sets: field, to: careless)
        for order in [one, other].permutations {
          let key = RowKey.row(of: field.entity)
          var holder = Holder(key)
          if let existence = Field.existence(of: key.kind) {
            let create = Write(row: key.id, field: existence, value: .mark, origin: key.origin)
            holder.receive([WrittenFrame(9, by: key.creator, [create])])
          }
          holder.receive(order)
          #expect(holder.row.shown(field)?.value == careful, "\(field)")
        }
      }
    }
  }

  @Test("an active fence wins over an inactive one")
  func activeFence() {
    let active = WrittenFrame(1, by: .commander, sets: .fenceActive, to: .code(1))
    let inactive = WrittenFrame(2, by: .deputy, sets: .fenceActive, to: .code(0))
    var holder = Holder(.fence)
    holder.receive([.fenceCreate, active, inactive])
    #expect(holder.row.shown(.fenceActive)?.value == .code(1))
  }

  @Test("an author that saw the danger may end it")
  func sequential() {
    let help = WrittenFrame(
      1, by: .owner, sets: .userSafetyClaim, to: .claim(.needsHelp, note: ""))
    let safe = WrittenFrame(
      2, by: .owner, sets: .userSafetyClaim, to: .claim(.safe, note: "picked up"), over: help)
    for order in [[help, safe], [safe, help]] {
      var holder = Holder(.user)
      holder.receive(order)
      #expect(
        holder.row.values(of: .userSafetyClaim).map(\.value)
          == [.claim(.safe, note: "picked up")])
    }
  }

  @Test("clocks are not compared: a later claimed time does not win")
  func clocks() {
    // given dots that order differently from roles; claimed times follow the dots
    let late = WrittenFrame(1_000_000, by: .owner, sets: .reportTitle, to: .text("late"))
    let early = WrittenFrame(1, by: .commander, sets: .reportTitle, to: .text("early"))
    var holder = Holder(.report)
    holder.receive([.create, late, early])
    #expect(holder.row.shown(.reportTitle)?.value == .text("early"))
    // then times are labels only
    #expect(holder.row.createdAt == Timestamp(milliseconds: 100_000))
    #expect(holder.row.updatedAt == Timestamp(milliseconds: 1_000_000_000))
  }
}
