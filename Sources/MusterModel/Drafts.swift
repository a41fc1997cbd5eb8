/// A new report, as somebody describes it.
public struct ReportDraft: Hashable, Sendable {
  public var title: String
  public var details: String?
  public var category: ReportCategory?
  public var severity: UInt8?
  public var position: Coordinate?
  public var toEvacuate: Bool

  public init(
    title: String, details: String? = nil, category: ReportCategory? = nil, severity: UInt8? = nil,
    position: Coordinate? = nil, toEvacuate: Bool = false
  ) {
    self.title = title
    self.details = details
    self.category = category
    self.severity = severity
    self.position = position
    self.toEvacuate = toEvacuate
  }
}

/// What to change of a report; nil leaves a field alone.
public struct ReportChanges: Hashable, Sendable {
  public var title: String?
  public var details: String?
  public var category: ReportCategory?
  public var severity: UInt8?
  public var position: Coordinate?
  public var toEvacuate: Bool?
  public var status: ReportStatus?

  public init(
    title: String? = nil, details: String? = nil, category: ReportCategory? = nil,
    severity: UInt8? = nil, position: Coordinate? = nil, toEvacuate: Bool? = nil,
    status: ReportStatus? = nil
  ) {
    self.title = title
    self.details = details
    self.category = category
    self.severity = severity
    self.position = position
    self.toEvacuate = toEvacuate
    self.status = status
  }
}

/// A new geofence.
public struct FenceDraft: Hashable, Sendable {
  public var name: String
  public var kind: FenceKind
  public var geometry: FenceGeometry
  /// Free text that came with the outline.
  public var properties: String?

  public init(name: String, kind: FenceKind, geometry: FenceGeometry, properties: String? = nil) {
    self.name = name
    self.kind = kind
    self.geometry = geometry
    self.properties = properties
  }
}
