/// The kinds of membership evidence: signed statements that decide who is a member besides control
/// frames and certificates, or show that a key is used twice. Numbers are on the wire.
public enum EvidenceKind: UInt8, Codable, CaseIterable, Hashable, Sendable {
  /// A log has more branches than count.
  case forkProof = 1
  /// An endorsement of a council of commanders.
  case council = 2
  /// A vote of a member of a council.
  case vote = 3
  /// A key signed two records with one order.
  case twins = 4
}
