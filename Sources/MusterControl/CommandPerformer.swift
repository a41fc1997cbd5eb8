public import MusterModel
public import MusterNode

/// What the command line needs of a node: to do as it is told, and to say what happens.
public protocol CommandPerformer: Sendable {
  /// Returns once the command is done, durably, or refused.
  func perform(_ command: Command) async -> Reply

  /// Crossings in the order in which the node learns of them: those after an arrival number and
  /// what comes later, or with nil what comes later only. Each element is what arrived together;
  /// none is empty. Bounded: a reader that falls too far behind misses some. Ends when the node
  /// stops.
  func crossings(after: Int64?) async -> AsyncStream<[CrossingSummary]>

  /// The alerts that stand: now, and whenever one has come, gone or been acknowledged. A slow
  /// reader gets the newest only.
  func standingAlerts() async -> AsyncStream<[Alert]>

  /// How often each set of things has changed: now, and whenever it is otherwise. A slow reader
  /// gets the newest only.
  func changes() async -> AsyncStream<ChangeCounts>
}

extension Node: CommandPerformer {}
