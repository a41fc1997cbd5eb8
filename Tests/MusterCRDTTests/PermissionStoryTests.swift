import MusterModel
import Testing

@testable import MusterCRDT

struct PermissionStoryTests {
  @Test("a commander cannot attribute a report to another user")
  func nobodyFilesForAnother() {
    // given a commander who invents a row that names another user as its owner
    let create = Write(
      row: RowKey.report.id, field: .reportExistence, value: .mark, origin: RowKey.report.origin)
    let made = WrittenFrame(1, by: .commander, [create])
    let title = WrittenFrame(2, by: .commander, sets: .reportTitle, to: .text("all is well"))
    var holder = Holder(.report)
    // when it arrives
    holder.receive([made, title])
    // then it does not exist for users
    #expect(!holder.row.exists)
    // and when that user does create it, the commander's edit counts
    holder.receive(.create)
    #expect(holder.row.exists)
    #expect(holder.row.shown(.reportTitle)?.author != holder.row.owner)
  }

  @Test("another member's edit of a report is rejected, another member's comment is applied")
  func stranger() {
    var holder = Holder(.report)
    holder.receive(.create)
    let edit = WrittenFrame(1, by: .stranger, sets: .reportTitle, to: .text("mine"))
    let comment = WrittenFrame(2, by: .stranger, sets: .reportComments, to: .text("I see it"))
    #expect(holder.receive(edit) == [.refused])
    #expect(holder.receive(comment) == [.applied])
    #expect(holder.row.shown(.reportTitle) == nil)
    #expect(holder.row.shown(.reportComments)?.author == Author.stranger.user)
  }

  @Test("only its author or command removes a comment")
  func comments() {
    let comment = WrittenFrame(1, by: .stranger, sets: .reportComments, to: .text("I see it"))
    for (remover, isRemoved) in [
      (Author.stranger, true), (.commander, true), (.owner, false), (.person(8, .member), false),
    ] {
      let removal = WrittenFrame(2, by: remover, clears: .reportComments, over: comment)
      for order in [comment, removal].permutations {
        var holder = Holder(.report)
        holder.receive([.create] + order)
        #expect(holder.row.values(of: .reportComments).isEmpty == isRemoved)
      }
    }
  }

  @Test("a rejected write supersedes nothing")
  func refusedSupersedes() {
    let title = WrittenFrame(1, by: .owner, sets: .reportTitle, to: .text("smoke"))
    let attempt = WrittenFrame(2, by: .stranger, clears: .reportTitle, over: title)
    for order in [title, attempt].permutations {
      var holder = Holder(.report)
      holder.receive([.create] + order)
      #expect(holder.row.shown(.reportTitle)?.value == .text("smoke"))
    }
  }

  /// Concurrent titles, each by another commander.
  private static func titles(_ count: Int) -> [WrittenFrame] {
    (0..<UInt64(count)).map {
      WrittenFrame(
        1000 + $0, by: .person(100 + $0, .command), sets: .reportTitle, to: .text("title \($0)"))
    }
  }

  @Test("more than 64 superseded dots are rejected, and 64 are not")
  func supersededDots() {
    let titles = Self.titles(65)
    for (count, outcome) in [(64, RowState.Outcome.applied), (65, .refused)] {
      for value in [Value.text("one title"), nil] {
        var holder = Holder(.report)
        holder.receive([.create] + titles)
        let merge = Write(
          row: RowKey.report.id, field: .reportTitle, value: value,
          supersedes: titles.prefix(count).map { $0.dot() })
        #expect(holder.receive(WrittenFrame(1, by: .owner, [merge])) == [outcome])
        let left = outcome == .refused ? 65 : value == nil ? 1 : 2
        #expect(holder.row.values(of: .reportTitle).count == left)
      }
    }
  }

  @Test("one write names at most 64 of the live dots; the next names the rest")
  func dotsOfField() {
    var holder = Holder(.report)
    holder.receive(.create)
    holder.receive(Self.titles(70))
    for left in [7, 1] {
      let merge = Write(
        row: RowKey.report.id, field: .reportTitle, value: .text("t"),
        supersedes: holder.row.dots(of: .reportTitle))
      holder.receive(WrittenFrame(UInt64(left), by: .owner, [merge]))
      #expect(holder.row.values(of: .reportTitle).count == left)
    }
  }

  @Test("a value of the wrong type or out of range is rejected")
  func wrongValues() {
    var holder = Holder(.report)
    holder.receive(.create)
    for (number, (field, value)) in [
      (Field.reportTitle, Value.code(1)), (.reportSeverity, .text("high")),
      (.reportSeverity, .code(6)), (.reportSeverity, .code(0)), (.reportStatus, .code(3)),
      (.reportPosition, .mark), (.reportToEvacuate, .code(1)), (.reportTitle, .text("")),
      (.reportComments, .text("\u{202E}")), (.reportExistence, .text("here")),
    ].enumerated() {
      let frame = WrittenFrame(UInt64(number), by: .owner, sets: field, to: value)
      #expect(holder.receive(frame) == [.refused], "\(field) took \(value)")
    }
    #expect(holder.row.updatedAt == holder.row.createdAt)
  }

  @Test("permissions of every role, for every field, in own rows and in others")
  func table() {
    let people: [Author] = [.commander, .owner, .stranger, .observer, .relay, .archive]
    for field in Field.allCases {
      for person in people {
        for isOwn in [true, false] {
          let owner = isOwn ? person.user : Author.deputy.user
          let write = Write(row: RowKey.report.id, field: field, value: field.example)
          let isOpen = [
            .reportComments, .reportConfirmations, .reportContentConfirmations, .reportPhotos,
            .reportPhotoMarks,
          ].contains(field)
          let expected =
            switch (person.role, field) {
            case (.relay, _): false
            case (.archive, _): isOwn && field == .userCallsign
            // The row is of no device of theirs.
            case (_, .exposureNote): false
            case (_, .userSafetyClaim): isOwn
            case (_, .unverifiedCallOutcome): person.role == .command
            case (_, _) where field.entity == .unverifiedCall: isOwn
            case (.command, .trackPoints), (.command, .recordValue): isOwn
            case (.command, _): true
            case (_, .userSafetyOverride), (_, .userRelayedClaim), (_, .trackerSafetyOverride):
              false
            case (_, _) where [.user, .checkIn, .record].contains(field.entity): isOwn
            case (.observer, _): false
            // It names a tracker of its author, never another's.
            case (.member, .directiveTrackerReplies): true
            // The example is for `owner`, the only authorized author.
            case (_, .directiveAcknowledgements), (_, .alertAcknowledgements): person == .owner
            case (_, _) where [.report, .tracker, .track].contains(field.entity): isOwn || isOpen
            default: false
            }
          #expect(
            Permission.allows(write, by: person, owner: owner) == expected,
            "\(person.role) \(field), own: \(isOwn)")
        }
      }
    }
  }

  @Test("a member withdraws command's override of themselves, and of no other")
  func withdrawnOverride() {
    let withdrawal = Write(row: RowKey.user.id, field: .userSafetyOverride, value: nil)
    #expect(Permission.allows(withdrawal, by: .owner, owner: Author.owner.user))
    #expect(Permission.allows(withdrawal, by: .commander, owner: Author.owner.user))
    #expect(!Permission.allows(withdrawal, by: .stranger, owner: Author.owner.user))
  }

  @Test("the subject of a command statement may supersede it, and never write it")
  func setByCommand() {
    for field in [Field.userRelayedClaim, .trackerSafetyOverride] {
      let row = RowKey.row(of: field.entity).id
      for (person, mayWrite, mayTakeAway) in [
        (Author.commander, true, true), (.owner, false, true), (.stranger, false, false),
        (.relay, false, false), (.archive, false, false),
      ] {
        let (said, gone) = (
          Write(row: row, field: field, value: field.example),
          Write(row: row, field: field, value: nil)
        )
        let owner = Author.owner.user
        #expect(Permission.allows(said, by: person, owner: owner) == mayWrite, "\(person.role)")
        #expect(Permission.allows(gone, by: person, owner: owner) == mayTakeAway)
      }
    }
  }

  @Test("a revoked permit stays revoked, regardless of the role that clears it")
  func revokedPermit() {
    let revoked = WrittenFrame(1, by: .commander, sets: .permitRevoked, to: .mark)
    let cleared = WrittenFrame(2, by: .deputy, clears: .permitRevoked, over: revoked)
    for order in [revoked, cleared].permutations {
      var holder = Holder(.permit)
      let create = Write(
        row: RowKey.permit.id, field: .permitExistence, value: .mark, origin: RowKey.permit.origin)
      holder.receive([WrittenFrame(9, by: .commander, [create])] + order)
      #expect(holder.row.exists && holder.row.isSet(.permitRevoked))
    }
  }

  @Test("a member acknowledges for themselves, command for all, an observer for none")
  func acknowledgements() {
    let directive = RowKey.directive.id
    for (person, isOwnAllowed, isOthersAllowed) in [
      (Author.commander, true, true), (.stranger, true, false), (.observer, false, false),
      (.relay, false, false), (.archive, false, false),
    ] {
      func mayReply(for user: UserID) -> Bool {
        let write = Write(
          row: directive, field: .directiveAcknowledgements, value: .reply(user, note: ""))
        return Permission.allows(write, by: person, owner: Author.deputy.user)
      }
      #expect(mayReply(for: person.user) == isOwnAllowed, "\(person.role)")
      #expect(mayReply(for: Author.owner.user) == isOthersAllowed, "\(person.role)")
    }
  }
}
