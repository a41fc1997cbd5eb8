/// Which life of a device's database: what its logs' openings and its records name.
public struct LifeMark: Codable, Hashable, Sendable {
  /// 1 for a device's first life; at most `Limits.lastGeneration`.
  public let generation: UInt32
  /// Drawn at random when the life began: who names it was there after that.
  public let incarnation: Incarnation

  /// A life as somebody named it.
  public init(generation: UInt32, incarnation: Incarnation) {
    self.generation = generation
    self.incarnation = incarnation
  }
}

/// What a life says that has found another one of its own device in use at the same time.
public struct CloneReport: Hashable, Sendable {
  /// The other life; whose word this is stands in the record.
  public var other: LifeMark
  /// By its author's clock; a label.
  public var noticedAt: Timestamp

  /// Its author MUST have proof that the other life was in use while it ran itself.
  public init(other: LifeMark, noticedAt: Timestamp) {
    self.other = other
    self.noticedAt = noticedAt
  }
}
