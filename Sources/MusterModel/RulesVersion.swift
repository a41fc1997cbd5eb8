/// The version of the rules by which a node derives its state from the frames that it holds: the
/// merge rule, the control plane and the permissions.
///
/// Two nodes of different versions may derive different states from the same frames, and could
/// never agree on one. So they do not synchronize: each shows the other as one that needs an update
/// (docs/wire.md §10).
///
/// **Raise `current` by one with each change of a merge, control-plane or permission rule**: with
/// each change by which an old and a new program, given the same frames, may show another value,
/// count another certificate, frame or epoch, or hash to another state. Raising it also makes each
/// database derive its view anew. What changes only how frames travel or are shown needs no new
/// version.
public struct RulesVersion: Hashable, Comparable, Sendable {
  /// On the wire; never 0.
  public let raw: UInt8

  /// Nil for 0, which stands for no version on the wire.
  public init?(raw: UInt8) {
    guard raw > 0 else { return nil }
    self.raw = raw
  }

  private init(_ raw: UInt8) { self.raw = raw }

  /// What this program goes by. 2 is the first version that nodes state; 3 changed which kind of a
  /// zone, and whether an assembly zone is active, is shown in a conflict; 4 added the fields of
  /// orders, accountings, sign-offs, permits, alert acknowledgements and stamps.
  public static let current = RulesVersion(4)

  /// What a program that states no version goes by: one made before versions were stated.
  public static let unstated = RulesVersion(1)

  /// Whether programs with these rules state their version.
  public var isStated: Bool { self > .unstated }

  /// The higher one is the newer.
  public static func < (left: RulesVersion, right: RulesVersion) -> Bool { left.raw < right.raw }
}

/// Which of two nodes that follow different rules has the older ones. Numbers are on the control
/// socket.
public enum UpdateNeed: UInt8, Codable, Hashable, Sendable {
  /// The other one.
  case peer = 1
  /// This laptop.
  case thisLaptop = 2

  /// Nil where both follow the same rules.
  public init?(own: RulesVersion, peer: RulesVersion) {
    guard own != peer else { return nil }
    self = peer < own ? .peer : .thisLaptop
  }
}
