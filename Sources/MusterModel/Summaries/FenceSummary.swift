/// A geofence for display.
public struct FenceSummary: Codable, Hashable, Sendable {
  /// The row that commands about this fence name.
  public var id: RowID
  /// The name; in a conflict, the shown one.
  public var name: String
  /// Determines what being inside means for a person's safety.
  public var kind: FenceKind
  /// Whether it is evaluated. An inactive fence is only drawn: it makes no events and no status.
  public var isActive: Bool
  /// The shown outline, by which this node detects events.
  public var geometry: FenceGeometry
  /// Seconds inside before an ENTER counts.
  public var dwellSeconds: UInt32
  /// The evidence that an EXIT requires.
  public var mode: FenceMode
  /// The role of which a person must be inside; nil for none.
  public var needs: Role?
  /// When command is to review it, by the clock of that value's author; nil for never.
  public var reviewAt: Timestamp?
  /// Whether an entry raises an alert.
  public var alertsEntry = true
  /// The rules that count, by id.
  public var rules: [ZoneRuleSummary] = []
  /// The collection that programs find it in; empty for none.
  public var collection = ""
  /// Free text that was imported with the outline; empty if there was none.
  public var properties: String
  /// Who created it; an empty name if that is unknown.
  public var authorship: Authorship = ""
  /// Callsigns of the people whose newest fix is inside, sorted.
  public var inside: [String]
  /// The fields in conflict, each with all its values.
  public var conflicts: [FieldConflict]
  /// By its author's clock: a label.
  public var createdAt: Timestamp
  /// The latest time that the author of any live value claimed: a label.
  public var updatedAt: Timestamp

  /// Creates a summary. The caller sorts `inside`, and gives the shown value of each field.
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
