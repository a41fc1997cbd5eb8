import MusterModel
import MusterReplica
import MusterStore

/// Verifies one promise of a world. It is notified of events and reports violations to the world;
/// it changes nothing.
protocol Checker: AnyObject {
  /// Called when a replica was opened, for the first time or again.
  func started(_ node: SimulatedNode, in world: World) throws
  /// Called when a node's database was restored from a backup. `lost` is its previous state; its
  /// replica is not open yet.
  func restored(_ node: SimulatedNode, from lost: Store, in world: World) throws
  /// Called when a node has processed an input.
  func took(_ outcome: Replica.Outcome, at node: SimulatedNode, in world: World) throws
  /// Called when a command was acknowledged.
  func wrote(_ act: Act, made: RowKey?, at node: SimulatedNode, in world: World) throws
  /// Called when a command was not acknowledged, and may have been stored nevertheless.
  func tried(_ act: Act, at node: SimulatedNode)
  /// Called when a node processed a fix of its own.
  func ingested(
    _ fix: Fix, crossings: [ArrivedCrossing], at node: SimulatedNode, in world: World) throws
  /// Called at intervals of simulated time.
  func look(_ world: World) throws
  /// Called when all nodes have converged, or the budget for it is used up.
  func conclude(_ world: World) throws
}

extension Checker {
  func started(_ node: SimulatedNode, in world: World) throws {}
  func restored(_ node: SimulatedNode, from lost: Store, in world: World) throws {}
  func took(_ outcome: Replica.Outcome, at node: SimulatedNode, in world: World) throws {}
  func wrote(_ act: Act, made: RowKey?, at node: SimulatedNode, in world: World) throws {}
  func tried(_ act: Act, at node: SimulatedNode) {}
  func ingested(
    _ fix: Fix, crossings: [ArrivedCrossing], at node: SimulatedNode, in world: World
  ) throws {}
  func look(_ world: World) throws {}
  func conclude(_ world: World) throws {}
}
