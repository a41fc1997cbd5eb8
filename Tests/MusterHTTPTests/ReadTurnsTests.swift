import MusterModel
import NIOEmbedded
import Synchronization
import Testing

@testable import MusterHTTP

/// Reads of remote clients at the node's one queue, and their connections: each login has a share.
struct ReadTurnsTests {
  /// A read that ends when the test lets it.
  private final class Gate: Sendable {
    private let state = Mutex<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>(
      (false, []))

    func pass() async {
      await withCheckedContinuation { waiter in
        let isOpen = state.withLock { state in
          if !state.isOpen { state.waiting.append(waiter) }
          return state.isOpen
        }
        if isOpen { waiter.resume() }
      }
    }

    func open() {
      let waiting = state.withLock { state in
        state.isOpen = true
        defer { state.waiting = [] }
        return state.waiting
      }
      for waiter in waiting { waiter.resume() }
    }

    var waiters: Int { state.withLock { $0.waiting.count } }
  }

  /// What happened, from many tasks.
  private final class Record<Content: Sendable>: Sendable {
    private let content: Mutex<Content>

    init(_ content: Content) { self.content = Mutex(content) }

    var value: Content { content.withLock { $0 } }

    func change(_ act: @Sendable (inout Content) -> Void) { content.withLock { act(&$0) } }
  }

  private static func reader(
    _ name: String, _ turns: ReadTurns, isPresent: @escaping @Sendable () -> Bool = { true }
  ) -> ReadTurns.Reader {
    ReadTurns.Reader(name: name, turns: turns, isPresent: isPresent)
  }

  private static func eventually(_ holds: () -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while !holds() {
      try #require(ContinuousClock.now < deadline)
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  @Test func `a login that sends hundreds of reads delays another by one of its own, not by all`()
    async throws
  {
    let (turns, gate) = (ReadTurns(), Gate())
    let order = Record<[String]>([])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<ReadTurns.mostRunning {
        group.addTask { try await Self.reader("Otto", turns).perform { await gate.pass() } }
      }
      try await Self.eventually { gate.waiters == ReadTurns.mostRunning }
      for _ in 0..<ReadTurns.mostWaiting {
        group.addTask {
          try await Self.reader("Otto", turns).perform { order.change { $0.append("Otto") } }
        }
      }
      try await Self.eventually { turns.waiting(of: "Otto") == ReadTurns.mostWaiting }
      // One more is refused, and states when to try again.
      let refusal = await #expect(throws: Problem.self) {
        try await Self.reader("Otto", turns).perform {}
      }
      #expect(refusal?.status == .tooManyRequests)
      group.addTask {
        try await Self.reader("Rui", turns).perform { order.change { $0.append("Rui") } }
      }
      try await Self.eventually { turns.waiting(of: "Rui") == 1 }
      gate.open()
      try await group.waitForAll()
    }
    let place = try #require(order.value.firstIndex(of: "Rui"))
    #expect(place <= ReadTurns.mostRunning + 1)
    #expect(order.value.count == ReadTurns.mostWaiting + 1)
  }

  @Test func `a read whose client has gone is not performed`() async throws {
    let (turns, gate) = (ReadTurns(), Gate())
    let isHere = Record(true)
    let performed = Record(0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<ReadTurns.mostRunning {
        group.addTask { try await Self.reader("Otto", turns).perform { await gate.pass() } }
      }
      try await Self.eventually { gate.waiters == ReadTurns.mostRunning }
      for _ in 0..<20 {
        group.addTask {
          await #expect(throws: Problem.self) {
            try await Self.reader("Otto", turns) { isHere.value }
              .perform { performed.change { $0 += 1 } }
          }
        }
      }
      try await Self.eventually { turns.waiting(of: "Otto") == 20 }
      isHere.change { $0 = false }
      gate.open()
      try await group.waitForAll()
    }
    #expect(performed.value == 0)
    // The turns are free again.
    try await Self.reader("Rui", turns).perform { performed.change { $0 += 1 } }
    #expect(performed.value == 1)
  }

  @Test func `a login holds its share of the connections, and gets the place of one that closes`()
    throws
  {
    let shares = ConnectionShares(perOwner: 2, all: 3)
    let channels = (0..<4).map { _ in EmbeddedChannel() }
    #expect(shares.admit(channels[0], of: "Otto"))
    #expect(shares.admit(channels[1], of: "Otto"))
    #expect(shares.admit(channels[1], of: "Otto"), "a further request of one connection")
    #expect(!shares.admit(channels[2], of: "Otto"))
    #expect(shares.admit(channels[2], of: "Rui"))
    #expect(!shares.admit(channels[3], of: "Ada"), "the reserve is for others")
    channels[0].close(promise: nil)
    channels[0].embeddedEventLoop.run()
    #expect(shares.admit(channels[3], of: "Otto"))
    // A connection on which another login continues is counted once.
    #expect(shares.admit(channels[3], of: "Rui"))
    #expect(!shares.admit(EmbeddedChannel(), of: "Rui"))
  }
}
