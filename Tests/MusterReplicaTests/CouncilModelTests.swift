import Foundation
import MusterModel
import MusterSync
import MusterTestKit
import Testing

@testable import MusterReplica

/// The rule of councils against every set and order of what members and thieves sign.
///
/// - *No divergence*: whatever is added last to a set comes to the same set, exactly. So, by
///   induction, every order of arrival does; what counts is a function of the set.
/// - *No lock-out*: in every state where a quorum of honest members has voted, the thieves are
///   revoked from the theft on and all devices that they removed are back; from any other state these
///   votes lead to such a state.
/// - *No undo*: nothing that thieves add to such a state changes that.
///
/// `MUSTER_MODEL=full` searches four members too and draws a million histories of five
/// (`make model`).
@Suite("The model of councils")
struct CouncilModelTests {
  private static let isFull = ProcessInfo.processInfo.environment["MUSTER_MODEL"] == "full"

  /// One act; a flood is one, of several votes.
  private typealias Event = [CouncilWorld.Item]

  private func events(_ world: CouncilWorld, isReduced: Bool) -> [Event] {
    var events: [Event] = []
    for thief in world.thieves {
      for member in world.honest { events.append([world.honestVote(by: member, against: thief)]) }
    }
    for member in world.honest { events.append([world.endorse(world.child, by: member)]) }
    for thief in world.thieves {
      events.append([world.endorse(world.child, by: thief)])
      events.append([world.endorse(world.takeover, by: thief)])
      for member in world.honest {
        events.append([
          world.vote(
            by: world.members[thief], against: world.members[member], end: nil, keeps: [])
        ])
      }
      let other = world.thieves.last { $0 != thief } ?? thief
      events.append([world.leniency(by: thief, towards: other)])
      guard !isReduced else { continue }
      events.append(world.flood(by: thief, against: thief))
      events.append(world.flood(by: thief, against: world.honest[0]))
      // In a council that may never count.
      events.append([
        world.vote(
          in: world.child.hash, by: world.members[thief], against: world.spare, end: nil, keeps: [])
      ])
    }
    return events
  }

  /// Every set of events, each with every prefix of the thieves' control logs.
  private func search(_ world: CouncilWorld, isReduced: Bool) -> (sets: Int, states: Int) {
    let events = events(world, isReduced: isReduced)
    let lengths = isReduced ? [1, 4] : [1, 2, 3, 4]
    var prefixes: [[Int: Int]] = [[:]]
    for thief in world.thieves {
      prefixes = prefixes.flatMap { known in
        lengths.map { known.merging([thief: $0]) { $1 } }
      }
    }
    let evidence = prefixes.map { world.evidence(frames: $0) }
    var sets: [(set: CouncilSet, waiting: Set<CouncilWorld.Item>)?] = []
    sets = Array(repeating: nil, count: 1 << events.count)
    sets[0] = (world.base, [])
    var signatures = VerifiedSignatures()
    var states = 0
    for bits in sets.indices {
      guard let (set, waiting) = sets[bits] else {
        Issue.record("set \(bits) was not reached")
        return (bits, states)
      }
      let items = Set(
        events.indices.filter { bits >> $0 & 1 == 1 }.flatMap { events[$0] })
      for logs in evidence {
        states += 1
        let state = world.evaluation(set, logs, signatures: &signatures)
        if let fault = world.fault(in: state, set, items: items) {
          Issue.record("\(fault): set \(bits)")
          return (bits, states)
        }
      }
      for last in events.indices where bits >> last & 1 == 0 {
        var (next, left) = (set, Array(waiting))
        world.insert(events[last], into: &next, waiting: &left)
        guard let known = sets[bits | 1 << last] else {
          sets[bits | 1 << last] = (next, Set(left))
          continue
        }
        if known.set != next || known.waiting != Set(left) {
          Issue.record("another order comes to another set: \(bits) and then \(last)")
          return (bits, states)
        }
      }
      sets[bits] = nil
    }
    return (1 << events.count, states)
  }

  private func report(_ name: String, _ result: (sets: Int, states: Int)) {
    print("\(name): \(result.sets) sets in every order, \(result.states) states, no fault")
  }

  @Test(arguments: 0..<3)
  func `three members with one thief`(thief: Int) throws {
    let world = try #require(CouncilWorld(size: 3, thieves: [thief]))
    report("n = 3, thief \(thief)", search(world, isReduced: !Self.isFull))
  }

  @Test(.enabled(if: isFull, "only in `make model`"), arguments: 0..<4)
  func `four members with one thief`(thief: Int) throws {
    let world = try #require(CouncilWorld(size: 4, thieves: [thief]))
    report("n = 4, thief \(thief)", search(world, isReduced: false))
  }

  @Test(.enabled(if: isFull, "only in `make model`"), arguments: [[0, 1], [0, 3], [2, 3]])
  func `four members with two thieves`(thieves: [Int]) throws {
    let world = try #require(CouncilWorld(size: 4, thieves: thieves))
    report("n = 4, thieves \(thieves)", search(world, isReduced: true))
  }

  @Test func `drawn histories of five members with at most two thieves`() throws {
    let count = Self.isFull ? 1_000_000 : 400
    for size in 1...2 {
      let world = try #require(CouncilWorld(size: 5, thieves: Array(0..<size)))
      let events = events(world, isReduced: false)
      let evidence = (0..<16).map { number in
        world.evidence(
          frames: Dictionary(
            uniqueKeysWithValues: world.thieves.enumerated().map { index, thief in
              (thief, 1 + (number >> (2 * index)) % 4)
            }))
      }
      var draw = SplitMix64(seed: UInt64(size))
      var signatures = VerifiedSignatures()
      for history in 0..<count / 2 {
        let chosen = events.indices.filter { _ in draw.number(below: 3) > 0 }
        var orders: [CouncilSet] = []
        for _ in 0..<2 {
          var (set, waiting, left) = (world.base, [CouncilWorld.Item](), chosen)
          while !left.isEmpty {
            let next = left.remove(at: draw.number(below: left.count))
            world.insert(events[next], into: &set, waiting: &waiting)
          }
          orders.append(set)
        }
        guard orders[0] == orders[1] else {
          Issue.record("history \(history): another order comes to another set")
          return
        }
        let state = world.evaluation(
          orders[0], evidence[draw.number(below: evidence.count)], signatures: &signatures)
        let items = Set(chosen.flatMap { events[$0] })
        if let fault = world.fault(in: state, orders[0], items: items) {
          Issue.record("history \(history): \(fault)")
          return
        }
      }
      print("n = 5, \(size) thieves: \(count / 2) drawn histories, no fault")
    }
  }
}
