import MusterModel
import MusterStore
import Testing

@Suite("Replies to requests")
struct ReplyTests {
  private static let day: Int64 = 86_400_000
  private let store: Store

  init() throws { store = try Store.inMemory() }

  private func key(_ number: UInt64, of caller: UInt64) -> RequestKey {
    RequestKey(
      caller: name(caller), name: Bytes32(prefix: name(caller), suffix: name(number)),
      fingerprint: Bytes32(prefix: name(number), suffix: .zero))
  }

  /// Stores the replies of a caller in one commit, all at one time.
  private func keep(_ numbers: ClosedRange<UInt64>, of caller: UInt64, day: Int64 = 0) throws {
    var batch = Batch()
    batch.replies = numbers.map {
      StoredReply(
        request: key($0, of: caller), content: [UInt8(truncatingIfNeeded: $0)],
        storedAt: Timestamp(milliseconds: day * Self.day))
    }
    _ = try store.commit(batch)
  }

  private func isKept(_ number: UInt64, of caller: UInt64) throws -> Bool {
    try store.reply(named: key(number, of: caller).name) != nil
  }

  @Test func `a reply is read as it was stored`() throws {
    try keep(7...7, of: 1, day: 3)
    let reply = try store.reply(named: key(7, of: 1).name)
    #expect(reply?.request == key(7, of: 1) && reply?.content == [7])
    #expect(reply?.storedAt == Timestamp(milliseconds: 3 * Self.day))
    #expect(try store.reply(named: key(8, of: 1).name) == nil)
  }

  @Test func `a caller's newest replies stay, and take no place of another's`() throws {
    try keep(1...1, of: 2)
    let most = UInt64(Limits.repliesPerCaller)
    try keep(1...most + 10, of: 1)
    #expect(try !isKept(10, of: 1) && isKept(11, of: 1) && isKept(most + 10, of: 1))
    #expect(try isKept(1, of: 2))
  }

  @Test func `the writes of one caller, however many, delete no reply of another`() throws {
    try keep(1...1, of: 2)
    let most = UInt64(Limits.repliesPerCaller)
    for turn in 0...UInt64(Limits.replies) / most {
      try keep(turn * most + 1...(turn + 1) * most, of: 1)
    }
    #expect(try isKept(1, of: 2))
  }

  @Test func `the oldest replies of all callers are deleted at the bound`() throws {
    let most = UInt64(Limits.repliesPerCaller)
    let callers = UInt64(Limits.replies) / most
    for caller in 1...callers { try keep(1...most, of: caller) }
    #expect(try isKept(1, of: 1))
    try keep(1...64, of: callers + 1)
    #expect(try !isKept(1, of: 1) && isKept(65, of: 1) && isKept(1, of: 2))
  }

  @Test func `after a week the oldest are deleted`() throws {
    let kept = UInt64(Limits.repliesKept)
    try keep(1...5, of: 1)
    try keep(6...kept + 4, of: 1, day: 6)
    #expect(try isKept(1, of: 1))
    try keep(kept + 5...kept + 5, of: 1, day: 8)
    #expect(try !isKept(5, of: 1) && isKept(6, of: 1))
  }

  @Test func `a wall clock that jumps by years deletes no reply that a phone may still need`()
    throws
  {
    try keep(1...100, of: 1)
    for day in [20_000, -20_000, 40_000] as [Int64] { try keep(200...200, of: 1, day: day) }
    #expect(try isKept(1, of: 1) && isKept(100, of: 1))
  }
}
