/// The four logs that a device keeps per incarnation, in order of importance, so that what matters
/// never queues behind breadcrumbs. Importance is by lane and never by content: a blind relay
/// sees it too.
public enum Lane: UInt8, Codable, Sendable, CaseIterable, Hashable, Comparable {
  /// Certificates, revocations, epochs. Never encrypted under an epoch.
  case control = 1
  /// Directives, acknowledgements, user status, hazard fences, reports with `toEvacuate`.
  case urgent = 2
  /// Other users', reports' and fences' writes, and crossings.
  case state = 3
  /// Track segments, contacts.
  case history = 4

  /// More important is less.
  public static func < (left: Lane, right: Lane) -> Bool { left.rawValue < right.rawValue }
}
