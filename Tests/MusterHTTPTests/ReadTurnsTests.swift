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
    _ name: String, _ turns: ReadTurns, _ cost: RouteRights.Cost = .read,
    isPresent: @escaping @Sendable () -> Bool = { true }
  ) -> ReadTurns.Reader {
    ReadTurns.Reader(
      share: ReadTurns.Share(reader: name, cost: cost), turns: turns, isPresent: isPresent)
  }

  private static let share = ReadTurns.Share(reader: "Otto", cost: .read)
  private static let answer = Answer(.ok, text: "{}", type: "application/json")

  private static func eventually(_ holds: () -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while !holds() {
      try #require(ContinuousClock.now < deadline)
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  @Test func `a login that sends hundreds of reads delays another by none of them`() async throws {
    let (turns, gate) = (ReadTurns(), Gate())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0...ReadTurns.mostWaiting {
        group.addTask {
          _ = try await Self.reader("Otto", turns).perform {
            await gate.pass()
            return Self.answer
          }
        }
      }
      try await Self.eventually { turns.waiting(of: Self.share) == ReadTurns.mostWaiting }
      // One more is refused, and states when to try again.
      let refusal = await #expect(throws: Problem.self) {
        try await Self.reader("Otto", turns).perform { Self.answer }
      }
      #expect(refusal?.status == .tooManyRequests)
      // One read of Otto runs, and the second place is Rui's at once.
      #expect(gate.waiters <= 1)
      let answer = try await Self.reader("Rui", turns).perform { Self.answer }
      #expect(answer.status == .ok)
      gate.open()
      try await group.waitForAll()
    }
  }

  @Test func `the alerts wait for no other read of their reader`() async throws {
    let (turns, gate) = (ReadTurns(), Gate())
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        _ = try await Self.reader("Otto", turns, .dearRead).perform {
          await gate.pass()
          return Self.answer
        }
      }
      try await Self.eventually { gate.waiters == 1 }
      _ = try await Self.reader("Otto", turns, .alarmRead).perform { Self.answer }
      gate.open()
      try await group.waitForAll()
    }
  }

  @Test func `readers with waiting reads take turns`() async throws {
    let (turns, gate) = (ReadTurns(), Gate())
    let order = Record<[String]>([])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for name in ["Ada", "Bo"] {
        group.addTask {
          _ = try await Self.reader(name, turns).perform {
            await gate.pass()
            return Self.answer
          }
        }
      }
      try await Self.eventually { gate.waiters == ReadTurns.mostRunning }
      for count in 1...20 {
        group.addTask {
          _ = try await Self.reader("Otto", turns).perform {
            order.change { $0.append("Otto") }
            return Self.answer
          }
        }
        try await Self.eventually { turns.waiting(of: Self.share) == count }
      }
      group.addTask {
        _ = try await Self.reader("Rui", turns).perform {
          order.change { $0.append("Rui") }
          return Self.answer
        }
      }
      try await Self.eventually {
        turns.waiting(of: ReadTurns.Share(reader: "Rui", cost: .read)) == 1
      }
      gate.open()
      try await group.waitForAll()
    }
    let place = try #require(order.value.firstIndex(of: "Rui"))
    #expect(place <= ReadTurns.mostRunning)
    #expect(order.value.count == 21)
  }

  @Test func `a read whose client has gone is not performed, and makes room`() async throws {
    let (turns, gate) = (ReadTurns(), Gate())
    let isHere = Record(true)
    let performed = Record(0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        _ = try await Self.reader("Otto", turns).perform {
          await gate.pass()
          return Self.answer
        }
      }
      try await Self.eventually { gate.waiters == 1 }
      for _ in 0..<ReadTurns.mostWaiting {
        group.addTask {
          await #expect(throws: Problem.self) {
            try await Self.reader("Otto", turns) { isHere.value }.perform {
              performed.change { $0 += 1 }
              return Self.answer
            }
          }
        }
      }
      try await Self.eventually { turns.waiting(of: Self.share) == ReadTurns.mostWaiting }
      isHere.change { $0 = false }
      // A client that is there takes the room of those that are gone.
      group.addTask {
        _ = try await Self.reader("Otto", turns).perform {
          performed.change { $0 += 100 }
          return Self.answer
        }
      }
      try await Self.eventually { turns.waiting(of: Self.share) == 1 }
      gate.open()
      try await group.waitForAll()
    }
    #expect(performed.value == 100)
  }

  @Test func `a reader whose large answers are not sent waits until they are, and others do not`()
    async throws
  {
    let turns = ReadTurns()
    let large = Answer(
      .ok, text: String(repeating: "x", count: ReadTurns.mostUnsent), type: "text/plain")
    let unsent = Record<Answer?>(try await Self.reader("Otto", turns).perform { large })
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { _ = try await Self.reader("Otto", turns).perform { Self.answer } }
      try await Self.eventually { turns.waiting(of: Self.share) == 1 }
      _ = try await Self.reader("Rui", turns).perform { Self.answer }
      #expect(turns.waiting(of: Self.share) == 1)
      unsent.change { $0 = nil }
      try await group.waitForAll()
    }
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
