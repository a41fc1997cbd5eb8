import MusterModel
import Testing

@testable import MusterCRDT

struct LongHistoryTests {
  static let seeds = UInt64(1)...80

  @Test("replicas that received everything, in any order, hold the same bytes")
  func convergence() throws {
    for seed in Self.seeds {
      // given three authors who wrote concurrently
      var history = try LongHistory(seed: seed)
      var inOrder = Holder(history.key)
      inOrder.receive(history.frames)
      let expected = inOrder.row.encoded()
      // when each receives what it is missing, with duplicates
      for var holder in history.holders {
        holder.receive(history.delivery())
        // then all hold the bytes of a replica that received everything in the written order:
        // nothing superseded is remembered
        try #require(holder.row.encoded() == expected, "seed \(seed)")
      }
      try #require(
        Specification(inOrder.row) == Specification(of: history.frames, in: history.key),
        "seed \(seed)")
    }
  }

  @Test("any received subset is shown as specified")
  func partialHearing() throws {
    for seed in Self.seeds {
      var history = try LongHistory(seed: seed)
      let delivery = history.delivery()
      var holder = Holder(history.key)
      var received: Set<WrittenFrame> = []
      for (step, frame) in delivery.enumerated() {
        holder.receive(frame)
        received.insert(frame)
        guard step.isMultiple(of: 8) else { continue }
        try #require(
          Specification(holder.row) == Specification(of: Array(received), in: history.key),
          "seed \(seed), step \(step)")
      }
    }
  }

  @Test("groups of frames may be applied in any grouping, with a restart between")
  func grouping() throws {
    for seed in Self.seeds {
      var history = try LongHistory(seed: seed)
      let delivery = history.delivery()
      var atOnce = Holder(history.key)
      atOnce.receive(delivery)
      for size in [1, 2, 5] {
        var inGroups = Holder(history.key)
        for start in stride(from: 0, to: delivery.count, by: size) {
          inGroups.receive(Array(delivery[start..<min(start + size, delivery.count)]))
          try inGroups.restart()
        }
        try #require(inGroups.row == atOnce.row, "seed \(seed), groups of \(size)")
      }
    }
  }

  @Test("the histories contain conflicts, deletions and writes that arrive before the create")
  func coverage() throws {
    var (conflicts, waits, refusals, gone) = (0, 0, 0, 0)
    for seed in Self.seeds {
      var history = try LongHistory(seed: seed)
      var holder = Holder(history.key)
      for frame in history.delivery() {
        let outcomes = holder.receive(frame)
        waits += outcomes.count { $0 == .waits }
        refusals += outcomes.count { $0 == .refused }
      }
      conflicts += holder.row.conflicts.count
      gone += holder.row.exists ? 0 : 1
    }
    #expect(conflicts > 20 && waits > 20 && refusals > 20 && gone > 5)
  }
}
