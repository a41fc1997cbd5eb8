internal import MusterNode

/// What a client sends: a new command is a new case of `Command` and nothing else.
enum Request: Codable, Hashable, Sendable {
  case command(Command)
  /// Asks for a stream of crossings, which ends when the client closes the connection or sends
  /// anything more.
  case follow(after: Int64?)
  /// The same of the alerts that stand.
  case followAlerts
  /// The same of the counts of changes.
  case followChanges
}
