internal import MusterNode

/// A message from a client. A new command needs only a new case of `Command`.
enum Request: Codable, Hashable, Sendable {
  case command(Command)
  /// Requests a stream of crossings, which ends when the client closes the connection or sends more
  /// data.
  case follow(after: Int64?)
  /// Requests a stream of the active alerts.
  case followAlerts
  /// Requests a stream of the change counts.
  case followChanges
}
