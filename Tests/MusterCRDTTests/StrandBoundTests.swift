import MusterModel
import MusterTestKit
import Testing

@testable import MusterCRDT

/// What one author leaves in a row is bounded for each strand, in any order of arrival.
struct StrandBoundTests {
  private static func comments(_ count: Int, by author: Author) -> [WrittenFrame] {
    (0..<count).map { number in
      WrittenFrame(
        UInt64(1000 + number * 7919 % 9973), by: author, sequence: UInt32(number) + 1,
        [
          Write(
            row: RowKey.report.id, field: .reportComments, value: .text("comment \(number)"))
        ])
    }
  }

  @Test func `of many comments by one strand the newest 128 stay, in any order`() {
    var random = SplitMix64(seed: 7)
    let comments = Self.comments(300, by: .stranger)
    let newest = (172..<300).map { Value.text("comment \($0)") }
    var canonical: [UInt8]?
    for _ in 0..<5 {
      var holder = Holder(.report)
      holder.receive(([.create] + comments).shuffled(using: &random))
      #expect(Set(holder.row.values(of: .reportComments).map(\.value)) == Set(newest))
      #expect(canonical ?? holder.row.canonical == holder.row.canonical)
      canonical = holder.row.canonical
    }
  }

  @Test func `command writes for many, and every comment of it stays`() {
    var holder = Holder(.report)
    holder.receive([.create] + Self.comments(300, by: .commander))
    #expect(holder.row.values(of: .reportComments).count == 300)
  }

  @Test func `a comment beyond the bound stays superseded when later ones are removed`() throws {
    var random = SplitMix64(seed: 8)
    let comments = Self.comments(140, by: .stranger)
    // The newest 100 are removed by their author.
    let removals = comments.suffix(100).enumerated().map { number, comment in
      WrittenFrame(
        UInt64(20_000 + number), by: .stranger, sequence: UInt32(1000 + number),
        [
          Write(
            row: RowKey.report.id, field: .reportComments, value: nil, supersedes: [comment.dot()])
        ])
    }
    let frames = [.create] + comments + removals
    let expected = Specification(of: frames, in: .report)
    for _ in 0..<5 {
      var holder = Holder(.report)
      for frame in frames.shuffled(using: &random) {
        holder.receive(frame)
        try holder.restart()
      }
      try #require(Specification(holder.row) == expected)
      #expect(holder.row.values(of: .reportComments).count == 28)
    }
  }

  @Test func `a register keeps one value of a strand, also without superseding the others`() {
    var random = SplitMix64(seed: 9)
    let titles = (1...100).map { number in
      WrittenFrame(
        UInt64(number * 7919 % 9973), by: .owner, sequence: UInt32(number),
        [Write(row: RowKey.report.id, field: .reportTitle, value: .text("title \(number)"))])
    }
    for _ in 0..<5 {
      var holder = Holder(.report)
      holder.receive(([.create] + titles).shuffled(using: &random))
      #expect(holder.row.values(of: .reportTitle).map(\.value) == [.text("title 100")])
    }
  }

  @Test func `of two values in one frame the later entry counts`() {
    let both = WrittenFrame(
      1, by: .owner,
      [
        Write(row: RowKey.report.id, field: .reportTitle, value: .text("first")),
        Write(row: RowKey.report.id, field: .reportTitle, value: .text("second")),
      ])
    var holder = Holder(.report)
    holder.receive([.create, both])
    #expect(holder.row.values(of: .reportTitle).map(\.value) == [.text("second")])
  }

  @Test func `a fence that is deleted a hundred times costs one value`() {
    let deletions = (1...100).map { number in
      WrittenFrame(
        UInt64(number), by: .commander, sequence: UInt32(number),
        [Write(row: RowKey.fence.id, field: .fenceDeleted, value: number % 3 == 0 ? nil : .mark)])
    }
    var holder = Holder(.fence)
    holder.receive([.fenceCreate] + deletions)
    #expect(!holder.row.exists)
    #expect(holder.row.values(of: .fenceDeleted).count == 1)
  }

  @Test func `names of writes that never come, and writes without a row, are no part of it`() {
    var holder = Holder(.report)
    holder.receive(.create)
    let size = holder.row.encoded().count
    for number in 1...50 {
      let invented = (0..<64).map {
        Dot(frame: Bytes16(high: UInt64(number), low: 77), index: UInt16($0))
      }
      holder.receive(
        WrittenFrame(
          UInt64(5000 + number), by: .stranger, sequence: UInt32(number),
          [
            Write(
              row: RowKey.report.id, field: .reportConfirmations, value: nil, supersedes: invented)
          ]))
    }
    #expect(holder.row.superseders == 3200)
    #expect(holder.row.encoded().count == size)

    var early = Holder(.report)
    early.receive(Self.comments(200, by: .stranger))
    #expect(early.row.waiting == 200)
    #expect(early.row.encoded().count < 200)
    early.receive(.create)
    #expect(early.row.waiting == 0)
    #expect(early.row.values(of: .reportComments).count == 128)
  }
}
