import MusterInterchange
import MusterModel
import MusterTestKit
import Testing

@testable import MusterHTTP

@Suite struct `Turns of authors in a webhook` {
  private static func device(_ number: UInt64) -> DeviceID {
    DeviceID(raw: Bytes16(high: 0, low: number))
  }

  private let mia = device(1)
  private let ben = device(2)

  /// Takes one turn, in which one crossing is posted. Returns its author.
  private func post(_ turns: inout CrossingTurns) throws -> DeviceID {
    let next = turns.next()
    let turn = try #require(next)
    turns.finish(turn.author, upTo: turn.after + 1)
    turns.endTurn(of: turn.author)
    return turn.author
  }

  @Test func `a crossing waits for one post of a flood, wherever it stands in the log`() throws {
    var turns = CrossingTurns(from: .beginning)
    for arrival in Int64(1)...2100 { turns.add(arrival, by: mia) }
    #expect(try post(&turns) == mia)
    turns.add(2101, by: ben)
    let next = turns.next()
    #expect(next == .init(author: ben, after: 2100, upTo: 2101))
    #expect(turns.arrival == 1)
  }

  @Test func `a gap in the log is no other position`() {
    var turns = CrossingTurns(from: .beginning)
    turns.add(1, by: mia)
    turns.finish(mia, upTo: 1)
    var stored = WebhookPosition.beginning
    (stored.arrival, stored.ahead) = (turns.arrival, turns.ahead)
    // The second and the third are withdrawn. A reader that began again would forget its attempts.
    turns.add(4, by: ben)
    #expect(turns.continues(stored))
  }

  @Test func `who always has one more does not keep others waiting`() throws {
    var turns = CrossingTurns(from: .beginning)
    for arrival in Int64(1)...10 { turns.add(arrival, by: ben) }
    var posted: [DeviceID] = []
    for arrival in Int64(11)...20 {
      turns.add(arrival, by: mia)
      let next = turns.next()
      let turn = try #require(next)
      posted.append(turn.author)
      turns.finish(turn.author, upTo: turn.author == mia ? arrival : turn.after + 1)
      turns.endTurn(of: turn.author)
    }
    #expect(posted.count { $0 == ben } >= 5)
  }

  /// Authors of a drawn log take turns; the position is stored now and then, and restarts go on
  /// from it.
  @Test(arguments: Volume.seeds(orUsual: 20))
  func `each crossing is posted, in the order of its author, and again only after a restart`(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    let log = (Int64(1)...200).map { number in
      // A withdrawn one leaves a gap.
      (arrival: number * 2, author: Self.device(.random(in: 1...5, using: &random)))
    }
    var turns = CrossingTurns(from: .beginning)
    var stored = WebhookPosition.beginning
    var posted: [Int64] = []
    var hasRestarted = false
    while Set(posted).count < log.count {
      if Bool.random(using: &random) {
        let found = log.filter { $0.arrival > turns.found }
        for crossing in found.prefix(.random(in: 0...40, using: &random)) {
          turns.add(crossing.arrival, by: crossing.author)
        }
      }
      if let turn = turns.next() {
        let own = log.filter {
          $0.author == turn.author && $0.arrival > turn.after && $0.arrival <= turn.upTo
        }
        let next = try #require(own.first).arrival
        posted.append(next)
        turns.finish(turn.author, upTo: next)
        turns.endTurn(of: turn.author)
      }
      if Int.random(in: 0..<5, using: &random) == 0 {
        (stored.arrival, stored.ahead) = (turns.arrival, turns.ahead)
        #expect(turns.continues(stored))
        // Nothing up to the position, and nothing of those ahead, is left.
        for crossing in log {
          let last = stored.ahead[crossing.author] ?? stored.arrival
          #expect(crossing.arrival > last || posted.contains(crossing.arrival))
        }
      }
      if Int.random(in: 0..<40, using: &random) == 0 {
        hasRestarted = true
        turns = CrossingTurns(from: try #require(WebhookPosition(stored.json)))
      }
    }
    for author in Set(log.map(\.author)) {
      var own: [Int64] = []
      for arrival in posted where !own.contains(arrival) {
        if log.contains(where: { $0.arrival == arrival && $0.author == author }) {
          own.append(arrival)
        }
      }
      #expect(own == own.sorted())
    }
    #expect(hasRestarted || posted.count == log.count)
  }

  @Test func `a position of an earlier program goes on after its last crossing`() throws {
    let id = String(repeating: "0a", count: 16)
    let place = try #require(
      WebhookPosition(
        try JSON.read(Array("{\"arrival\":7,\"crossing\":\"\(id)\",\"counts\":{}}".utf8))))
    #expect(place.arrival == 7 && place.ahead.isEmpty)
    #expect(place.newest?.arrival == 7 && place.newest.map { "\($0.crossing)" } == id)
  }
}
