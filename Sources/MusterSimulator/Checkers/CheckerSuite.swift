import MusterModel
import MusterReplica
import MusterStore

/// All checkers of a run, in the order in which they are notified.
final class CheckerSuite: Checker {
  let promptness: PromptnessChecker
  let clones = CloneChecker()
  let dangers: DangerChecker
  let checkIns: CheckInChecker
  private let all: [any Checker]

  init(_ scenario: Scenario, faulty: FaultyNodes) {
    let lostWrites = LostWriteChecker(
      doubtful: faulty.doubtful, forkers: faulty.forkers.union(faulty.lost))
    promptness = PromptnessChecker(scenario.expectations)
    dangers = DangerChecker(limitMilliseconds: scenario.expectations.dangersWithinMilliseconds)
    checkIns = CheckInChecker(scenario)
    all = [
      lostWrites, ForgeryChecker(ledger: lostWrites),
      AuthorityChecker(scenario), ContentChecker(), AnswerChecker(), FenceParityChecker(),
      CrossingChecker(), PositionChecker(scenario.expectations), BoundsChecker(), UnharmedChecker(),
      DeliveryChecker(), NonceChecker(), ForkChecker(), MembershipChecker(),
      RevocationChecker(), TrackChecker(), AlertChecker(), AccusationChecker(scenario),
      promptness, clones, dangers, PhotoChecker(), checkIns,
      InsiderChecker(scenario), RowBoundChecker(scenario), RevokedInsiderChecker(scenario),
      EqualAnswersChecker(), LoadChecker(scenario),
    ]
  }

  func started(_ node: SimulatedNode, in world: World) throws {
    for checker in all { try checker.started(node, in: world) }
  }

  func restored(_ node: SimulatedNode, from lost: Store, in world: World) throws {
    for checker in all { try checker.restored(node, from: lost, in: world) }
  }

  func took(_ outcome: Replica.Outcome, at node: SimulatedNode, in world: World) throws {
    for checker in all { try checker.took(outcome, at: node, in: world) }
  }

  func wrote(_ act: Act, made: RowKey?, at node: SimulatedNode, in world: World) throws {
    for checker in all { try checker.wrote(act, made: made, at: node, in: world) }
  }

  func tried(_ act: Act, at node: SimulatedNode) {
    for checker in all { checker.tried(act, at: node) }
  }

  func ingested(
    _ fix: Fix, crossings: [ArrivedCrossing], at node: SimulatedNode, in world: World
  ) throws {
    for checker in all { try checker.ingested(fix, crossings: crossings, at: node, in: world) }
  }

  func look(_ world: World) throws { for checker in all { try checker.look(world) } }

  func conclude(_ world: World) throws { for checker in all { try checker.conclude(world) } }
}
