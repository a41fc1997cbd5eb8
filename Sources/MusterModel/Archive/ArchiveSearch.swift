/// What to find in the projections of all operations. Every condition that is given must hold.
public struct ArchiveSearch: Sendable {
  /// A circle on Earth.
  public struct Area: Hashable, Sendable {
    /// The centre.
    public var center: Coordinate
    /// More than 0.
    public var radiusMetres: Double

    /// Creates an area.
    public init(center: Coordinate, radiusMetres: Double) {
      self.center = center
      self.radiusMetres = radiusMetres
    }
  }

  /// A part of a title, a description or the name of a zone, in any case. Positions have no text.
  public var text: String?
  /// The callsign of a person, in any case.
  public var person: String?
  /// Where it is or happened.
  public var area: Area?
  /// The earliest time.
  public var since: Timestamp?
  /// The latest time.
  public var until: Timestamp?
  /// The name of an operation, or the beginning of its id.
  public var operation: String?
  /// Only these operations; nil for all.
  public var operations: [OperationID]?
  /// The most results, newest first.
  public var limit = 100

  /// Creates a search without conditions.
  public init() {}
}

/// A report, an event or a position.
public struct ArchiveFinding: Hashable, Sendable {
  /// `report`, `event` or `position`.
  public var kind: String
  /// The name of the operation.
  public var operation: String
  /// Its id.
  public var operationID: OperationID
  /// The id of the row, or of the person.
  public var id: String
  /// RFC 3339; nil if the time of the author's clock is impossible.
  public var at: String?
  /// A title, or what happened.
  public var text: String
  /// Who wrote it, or who was there.
  public var callsign: String
  /// Nil if it has none.
  public var position: Coordinate?

  /// Creates a result.
  public init(
    kind: String, operation: String, operationID: OperationID, id: String, at: String?,
    text: String, callsign: String, position: Coordinate?
  ) {
    (self.kind, self.operation, self.operationID) = (kind, operation, operationID)
    (self.id, self.at, self.text) = (id, at, text)
    (self.callsign, self.position) = (callsign, position)
  }
}
