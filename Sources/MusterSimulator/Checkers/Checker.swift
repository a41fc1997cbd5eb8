import MusterModel
import MusterReplica
import MusterStore

/// Holds a world to one promise. Told of what happens as it does, it reports to the world what
/// should not be; it changes nothing.
protocol Checker: AnyObject {
  /// A replica was opened, for the first time or again.
  func started(_ node: SimulatedNode, in world: World) throws
  /// A node's database was put back to a backup, and `lost` is what it was before; its replica is
  /// not open yet.
  func restored(_ node: SimulatedNode, from lost: Store, in world: World) throws
  /// A node took an input.
  func took(_ outcome: Replica.Outcome, at node: SimulatedNode, in world: World) throws
  /// Somebody's act was acknowledged.
  func wrote(_ act: Act, made: RowKey?, at node: SimulatedNode, in world: World) throws
  /// Somebody's act was not acknowledged, and may have been kept all the same.
  func tried(_ act: Act, at node: SimulatedNode)
  /// A node took a fix of its own.
  func ingested(
    _ fix: Fix, crossings: [ArrivedCrossing], at node: SimulatedNode, in world: World) throws
  /// Some simulated time has passed.
  func look(_ world: World) throws
  /// All have come to agree, or had time enough to.
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
