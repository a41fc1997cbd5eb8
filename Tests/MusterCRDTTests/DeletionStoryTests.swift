import MusterModel
import Testing

@testable import MusterCRDT

struct DeletionStoryTests {
  private let deleted = WrittenFrame(1, by: .commander, clears: .reportExistence, over: .create)

  @Test("a delete supersedes the existence that it saw; the fields remain in the row")
  func delete() {
    let title = WrittenFrame(2, by: .owner, sets: .reportTitle, to: .text("smoke"))
    for order in [.create, title, deleted].permutations {
      var holder = Holder(.report)
      holder.receive(order)
      #expect(!holder.row.exists)
      #expect(holder.row.shown(.reportTitle)?.value == .text("smoke"))
      #expect(holder.row.createdAt == nil)
    }
  }

  @Test("a concurrent edit restores the whole report")
  func concurrentEdit() {
    // given an edit that, unaware of the delete, also writes existence
    let edit = WrittenFrame(
      2, by: .owner,
      [
        Write(row: RowKey.report.id, field: .reportTitle, value: .text("spreading")),
        Write(
          row: RowKey.report.id, field: .reportExistence, value: .mark,
          supersedes: [WrittenFrame.create.dot()]),
      ])
    for order in [.create, deleted, edit].permutations {
      var holder = Holder(.report)
      holder.receive(order)
      #expect(holder.row.exists)
      #expect(holder.row.shown(.reportTitle)?.value == .text("spreading"))
    }
  }

  @Test("an edit does not move the time of the creation, a delete and its restoration neither")
  func creationTime() throws {
    // given edits, one of them by command, that write existence again and supersede the first
    let edits = [Author.owner, .commander].enumerated().map { index, author in
      WrittenFrame(
        UInt64(200 + index), by: author,
        [
          Write(
            row: RowKey.report.id, field: .reportExistence, value: .mark,
            supersedes: [WrittenFrame.create.dot()])
        ])
    }
    for order in (edits + [.create, deleted]).permutations {
      var holder = Holder(.report)
      holder.receive(order)
      #expect(holder.row.createdAt == WrittenFrame.create.authored[0].writtenAt)
      let stored = try RowState(key: .report, decoding: holder.row.encoded())
      #expect(stored == holder.row)
    }
  }

  @Test("a concurrent comment or confirmation does not restore it")
  func concurrentComment() {
    let comment = WrittenFrame(2, by: .stranger, sets: .reportComments, to: .text("I see it"))
    let confirmation = WrittenFrame(3, by: .stranger, sets: .reportConfirmations, to: .mark)
    for order in [.create, deleted, comment, confirmation].permutations {
      var holder = Holder(.report)
      holder.receive(order)
      #expect(!holder.row.exists)
      #expect(holder.row.values(of: .reportComments).count == 1)
    }
  }

  @Test("a member cannot delete another owner's report")
  func stranger() {
    var holder = Holder(.report)
    holder.receive(.create)
    let attempt = WrittenFrame(2, by: .stranger, clears: .reportExistence, over: .create)
    #expect(holder.receive(attempt) == [.refused])
    #expect(holder.row.exists)
  }
}
