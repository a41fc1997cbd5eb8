/// The four logs that a device keeps per incarnation, in order of priority, so that urgent data
/// never queues behind track logs. Priority depends on the lane, never on the content, because
/// relays without keys must see it.
public enum Lane: UInt8, Codable, Sendable, CaseIterable, Hashable, Comparable {
  /// Certificates, revocations, epochs. Never encrypted under an epoch.
  case control = 1
  /// Directives, acknowledgements, user status, hazard fences, reports with `toEvacuate`.
  case urgent = 2
  /// Other users', reports' and fences' writes, and crossings.
  case state = 3
  /// Track segments, contacts.
  case history = 4

  /// Higher priority is less.
  public static func < (left: Lane, right: Lane) -> Bool { left.rawValue < right.rawValue }
}
