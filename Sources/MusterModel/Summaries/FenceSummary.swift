/// A geofence as people see it.
public struct FenceSummary: Hashable, Sendable {
  public var id: RowID
  public var name: String
  public var kind: FenceKind
  public var isActive: Bool
  public var geometry: FenceGeometry
  /// Free text that came with the outline; empty when there was none.
  public var properties: String
  /// Callsigns of those whose newest fix is inside, sorted.
  public var inside: [String]
  public var conflicts: [FieldConflict]
  public var createdAt: Timestamp
  public var updatedAt: Timestamp

  public init(
    id: RowID, name: String, kind: FenceKind, isActive: Bool, geometry: FenceGeometry,
    properties: String, inside: [String], conflicts: [FieldConflict], createdAt: Timestamp,
    updatedAt: Timestamp
  ) {
    self.id = id
    self.name = name
    self.kind = kind
    self.isActive = isActive
    self.geometry = geometry
    self.properties = properties
    self.inside = inside
    self.conflicts = conflicts
    self.createdAt = createdAt
    self.updatedAt = updatedAt
  }
}
