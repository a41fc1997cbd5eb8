#if Canary
  /// A bug planted in the product on purpose, to prove that the simulator would catch one like it.
  ///
  /// Exists only in builds under the package trait `Canary`, which nobody ships: everything else
  /// about it stands in `#if Canary` at the place that it spoils. At most one is switched on, by
  /// `muster-sim canary`, before the world that it is to spoil is made.
  public enum Canary: String, CaseIterable, Sendable {
    case skipSignature = "skip-signature"

    /// The one that is switched on, of the whole process; nil for none.
    nonisolated(unsafe) public static var planted: Canary?

    /// What a build with planted bugs carries and a shipped one MUST NOT.
    public static let marker = "muster build with planted bugs: never ship it"

    /// Whether the product is to misbehave this way now.
    public var isPlanted: Bool { Self.planted == self }
  }
#endif
