import MusterModel
import Testing

@testable import MusterCRDT

/// Writes that arrive before those that they depend on.
struct WaitingStoryTests {
  @Test("an edit before the create waits, and then counts")
  func editFirst() {
    let title = WrittenFrame(1, by: .owner, sets: .reportTitle, to: .text("smoke"))
    var holder = Holder(.report)
    // when the edit arrives first
    #expect(holder.receive(title) == [.waits])
    #expect(holder.row.shown(.reportTitle) == nil)
    #expect(holder.row.isEmpty && holder.row.owner == nil)
    // then the create makes it visible
    #expect(holder.receive(.create) == [.applied])
    #expect(holder.row.shown(.reportTitle)?.value == .text("smoke"))
    #expect(holder.row.owner == Author.owner.user)
  }

  @Test("another member's edit before the create waits too, and is then rejected")
  func strangersEdit() {
    let title = WrittenFrame(1, by: .stranger, sets: .reportTitle, to: .text("mine"))
    var (early, late) = (Holder(.report), Holder(.report))
    early.receive([title, .create])
    late.receive([.create, title])
    #expect(early.row.shown(.reportTitle) == nil)
    #expect(early.row.encoded() == late.row.encoded())
  }

  @Test("an urgent write that repeats the create's origin is shown before the create arrives")
  func urgent() {
    let flag = WrittenFrame(
      1, by: .owner, sets: .reportToEvacuate, to: .mark, givingOrigin: true)
    var holder = Holder(.report)
    #expect(holder.receive(flag) == [.applied])
    #expect(holder.row.isSet(.reportToEvacuate))
    #expect(!holder.row.exists)
    holder.receive(.create)
    #expect(holder.row.exists)
  }

  @Test("an urgent write with the origin supersedes the waiting writes that it saw")
  func urgentOverWaiting() {
    let low = WrittenFrame(1, by: .owner, sets: .reportSeverity, to: .code(2))
    let high = WrittenFrame(
      2, by: .owner, sets: .reportSeverity, to: .code(1), over: low, givingOrigin: true)
    for order in [.create, low, high].permutations {
      var holder = Holder(.report)
      holder.receive(order)
      #expect(holder.row.values(of: .reportSeverity).map(\.value) == [.code(1)])
    }
  }

  @Test(
    "what was corrected before its create arrived is never shown", arguments: [true, false])
  func correctedCreate(countsFrameInHand: Bool) {
    // given a create with a title in one frame, and a correction that arrives first
    let create = WrittenFrame(
      5, by: .owner,
      [
        Write(
          row: RowKey.report.id, field: .reportExistence, value: .mark,
          origin: RowKey.report.origin),
        Write(row: RowKey.report.id, field: .reportTitle, value: .text("somke")),
      ])
    let correction = WrittenFrame(
      1, by: .commander, sets: .reportTitle, to: .text("smoke"), over: create)
    var holder = Holder(.report, countsFrameInHand: countsFrameInHand)
    holder.receive([correction, create])
    #expect(holder.row.values(of: .reportTitle).map(\.value) == [.text("smoke")])
  }

  @Test("a superseded value that arrives late never shows, and leaves no trace")
  func lateArrival() {
    // given three titles, each of which supersedes the previous one
    let first = WrittenFrame(3, by: .owner, sets: .reportTitle, to: .text("1"))
    let second = WrittenFrame(2, by: .commander, sets: .reportTitle, to: .text("2"), over: first)
    let third = WrittenFrame(
      1, by: .owner, sets: .reportTitle, to: .text("3"), over: first, second)
    var inOrder = Holder(.report)
    inOrder.receive([.create, first, second, third])
    // when they arrive in reverse order
    var holder = Holder(.report)
    holder.receive(.create)
    for frame in [third, second, first] {
      holder.receive(frame)
      #expect(holder.row.values(of: .reportTitle).map(\.value) == [.text("3")])
    }
    // then the row equals that of a replica that received them in order
    #expect(holder.row.encoded() == inOrder.row.encoded())
  }

  @Test("a frame that arrives twice counts once")
  func duplicates() {
    let comment = WrittenFrame(1, by: .stranger, sets: .reportComments, to: .text("I see it"))
    let removal = WrittenFrame(2, by: .stranger, clears: .reportComments, over: comment)
    var holder = Holder(.report)
    holder.receive([.create, comment, removal, comment, .create])
    #expect(holder.row.values(of: .reportComments).isEmpty)
    #expect(holder.row.values(of: .reportExistence).count == 1)
  }
}
