/// The version of the rules by which a node derives its state from the frames that it holds: the
/// merge rule, the control plane and the permissions.
///
/// Two nodes with different versions may derive different states from the same frames, and might
/// never converge. Therefore they do not synchronize: each shows the other as one that needs an
/// update (docs/wire.md §10).
///
/// **Raise `current` by one with each change of a merge, control-plane or permission rule**: with
/// each change by which an old and a new program, given the same frames, may show another value,
/// count another certificate, frame or epoch, or compute another state hash. Raising it also makes
/// each database derive its view again. A change that only affects how frames are sent or displayed
/// needs no new version.
public struct RulesVersion: Hashable, Comparable, Sendable {
  /// On the wire; never 0.
  public let raw: UInt8

  /// Returns nil for 0, which means "no version" on the wire.
  public init?(raw: UInt8) {
    guard raw > 0 else { return nil }
    self.raw = raw
  }

  private init(_ raw: UInt8) { self.raw = raw }

  /// The version of this program. 2 is the first version that nodes state. 3 changed which kind of
  /// a zone, and whether an assembly zone is active, is shown in a conflict. 4 added the fields of
  /// orders, accountings, sign-offs, permits, alert acknowledgements and stamps. 5 bounds forks by
  /// membership evidence and covers the control plane by the state hash. 6 added check-ins. 7 added
  /// their sealed field, their time without movement, the rules of zones, photos and
  /// marks on them. 8 added emergency contacts. 9 added records. 10 added exposures. 11 added
  /// the role `archive`. 12 added the age of the fix in a position, positions without a fix,
  /// unverified calls, and principals of frame bodies. 13 added confirmations of a content, names
  /// photos by author and dot, and counts each list of a blob. 14 lets only the newest writes of a
  /// strand to a field count. 15 added the evidence of records with one order.
  public static let current = RulesVersion(15)

  /// The version of a program that states none: it predates stated versions.
  public static let unstated = RulesVersion(1)

  /// Whether programs with these rules state their version.
  public var isStated: Bool { self > .unstated }

  /// The higher version is newer.
  public static func < (left: RulesVersion, right: RulesVersion) -> Bool { left.raw < right.raw }
}

/// Which of two nodes with different rules needs an update. Numbers are on the control socket.
public enum UpdateNeed: UInt8, Codable, Hashable, Sendable {
  /// The peer.
  case peer = 1
  /// This device.
  case thisLaptop = 2

  /// Returns nil if both versions are the same.
  public init?(own: RulesVersion, peer: RulesVersion) {
    guard own != peer else { return nil }
    self = peer < own ? .peer : .thisLaptop
  }
}
