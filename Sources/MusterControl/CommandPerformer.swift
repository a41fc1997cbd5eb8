public import MusterModel
public import MusterNode

/// The node's interface for the command line: performs commands and streams events.
public protocol CommandPerformer: Sendable {
  /// Returns once the command is durably done, or rejected.
  func perform(_ command: Command) async -> Reply

  /// Streams crossings in the order of their arrival numbers: those after `after` and all later
  /// ones, or with nil only later ones. Each element contains crossings that arrived together, and
  /// is not empty. Bounded: a reader that is too slow misses some. Ends when the node stops.
  func crossings(after: Int64?) async -> AsyncStream<[CrossingSummary]>

  /// Streams the active alerts: now, and after each alert that is raised, cleared or acknowledged.
  /// A slow reader receives only the newest.
  func standingAlerts() async -> AsyncStream<[Alert]>

  /// Streams the change counts of the data sets: now, and after each change. A slow reader receives
  /// only the newest.
  func changes() async -> AsyncStream<ChangeCounts>
}

extension Node: CommandPerformer {}
