/// Names one incarnation of a device's database, as in its logs' openings and its records.
public struct IncarnationName: Codable, Hashable, Sendable {
  /// 1 for a device's first incarnation; at most `Limits.lastGeneration`.
  public let generation: UInt32
  /// Drawn at random when the incarnation began: a node that names it existed after that.
  public let incarnation: Incarnation

  /// Creates a name from its parts.
  public init(generation: UInt32, incarnation: Incarnation) {
    self.generation = generation
    self.incarnation = incarnation
  }
}

/// The report of an incarnation that detected a live clone of its own device.
public struct CloneReport: Hashable, Sendable {
  /// The other incarnation; the record itself names the reporting one.
  public var other: IncarnationName
  /// By its author's clock: a label.
  public var noticedAt: Timestamp

  /// Creates a report. Its author MUST have proof that the other incarnation was live at the same
  /// time.
  public init(other: IncarnationName, noticedAt: Timestamp) {
    self.other = other
    self.noticedAt = noticedAt
  }
}
