/// A geofence as people see it.
public struct FenceSummary: Codable, Hashable, Sendable {
  /// The row that commands about this fence name.
  public var id: RowID
  /// The shown one where people disagree.
  public var name: String
  /// Decides what being inside means for a user's safety.
  public var kind: FenceKind
  /// An inactive fence is drawn and not watched: it makes no crossings and no one safe or unsafe.
  public var isActive: Bool
  /// The shown outline, by which this node decides crossings.
  public var geometry: FenceGeometry
  /// Seconds inside before it is an ENTER.
  public var dwellSeconds: UInt32
  /// How sure an EXIT must be.
  public var mode: FenceMode
  /// Of whom somebody is to be inside; nil for nobody.
  public var needs: Role?
  /// When command is to review it, by the clock of whoever set that; nil for never.
  public var reviewAt: Timestamp?
  /// Whether an entry raises an alert.
  public var alertsEntry = true
  /// Free text that came with the outline; empty when there was none.
  public var properties: String
  /// Callsigns of those whose newest fix is inside, sorted.
  public var inside: [String]
  /// Fields in which people disagree, each with all its values; empty when none.
  public var conflicts: [FieldConflict]
  /// As its author's clock claimed: a label.
  public var createdAt: Timestamp
  /// The latest that any live value's author claimed: a label.
  public var updatedAt: Timestamp

  /// The caller sorts `inside`, and gives the shown value of each field.
  public init(
    id: RowID, name: String, kind: FenceKind, isActive: Bool, geometry: FenceGeometry,
    dwellSeconds: UInt32, mode: FenceMode, needs: Role?, properties: String, inside: [String],
    conflicts: [FieldConflict], createdAt: Timestamp,
    updatedAt: Timestamp
  ) {
    self.id = id
    self.name = name
    self.kind = kind
    self.isActive = isActive
    self.geometry = geometry
    self.dwellSeconds = dwellSeconds
    self.mode = mode
    self.needs = needs
    self.properties = properties
    self.inside = inside
    self.conflicts = conflicts
    self.createdAt = createdAt
    self.updatedAt = updatedAt
  }
}
