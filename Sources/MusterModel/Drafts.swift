/// A new report, as its author describes it.
public struct ReportDraft: Codable, Hashable, Sendable {
  /// One line that is not empty, at most `Limits.lineBytes`.
  public var title: String
  /// A longer description, at most `Limits.paragraphBytes`; nil leaves it unset.
  public var details: String?
  /// Nil is written as `other`.
  public var category: ReportCategory?
  /// 1 (slight) to 5 (gravest); nil if unknown.
  public var severity: UInt8?
  /// Nil for a report without a position.
  public var position: Coordinate?
  /// Whether people must leave; sends the report in the urgent lane.
  public var toEvacuate: Bool

  /// Creates a draft. Nothing is validated here: a value out of range is rejected on write.
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

/// Changes to a report; nil leaves a field unchanged.
public struct ReportChanges: Codable, Hashable, Sendable {
  /// One line that is not empty, at most `Limits.lineBytes`.
  public var title: String?
  /// A longer description, at most `Limits.paragraphBytes`; an empty text clears it.
  public var details: String?
  /// The new category; a category cannot be cleared.
  public var category: ReportCategory?
  /// 1 (slight) to 5 (gravest).
  public var severity: UInt8?
  /// Moves the report; a position cannot be removed.
  public var position: Coordinate?
  /// `false` clears only the flags that this device has seen: a concurrently raised flag remains.
  public var toEvacuate: Bool?
  /// `open` reopens a report that was resolved too early.
  public var status: ReportStatus?

  /// Creates a set of changes. Nothing is validated here: a value out of range is rejected on
  /// write.
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
public struct FenceDraft: Codable, Hashable, Sendable {
  /// One line that is not empty, at most `Limits.lineBytes`.
  public var name: String
  /// `hazard` sends the fence in the urgent lane.
  public var kind: FenceKind
  /// MUST be within `Limits`, or the write is rejected.
  public var geometry: FenceGeometry
  /// Free text that was imported with the outline.
  public var properties: String?
  /// The collection that programs find it in, one line; nil for none.
  public var collection: String?
  /// Seconds inside before an ENTER counts, at most `Limits.spanSeconds`; 0 for immediately.
  public var dwellSeconds: UInt32
  /// The evidence that an EXIT requires.
  public var mode: FenceMode
  /// The role of which a person must be inside, or an alert is raised; nil for none.
  public var needs: Role?
  /// Seconds until command reviews the fence, 1 to `Limits.spanSeconds`; nil for never.
  public var reviewSeconds: UInt32?
  /// Whether an entry raises an alert.
  public var alertsEntry = true

  /// Creates a draft of an active fence. Nothing is validated here.
  public init(
    name: String, kind: FenceKind, geometry: FenceGeometry, properties: String? = nil,
    dwellSeconds: UInt32 = 0, mode: FenceMode = .careful, needs: Role? = nil
  ) {
    self.name = name
    self.kind = kind
    self.geometry = geometry
    self.properties = properties
    self.dwellSeconds = dwellSeconds
    self.mode = mode
    self.needs = needs
  }
}

/// Changes to a fence; nil leaves a field unchanged.
public struct FenceChanges: Codable, Hashable, Sendable {
  /// One line that is not empty, at most `Limits.lineBytes`.
  public var name: String?
  /// The meaning of being inside; a change to hazard is sent in the urgent lane.
  public var kind: FenceKind?
  /// Replaces the whole outline. MUST be within `Limits`, or the write is rejected.
  public var geometry: FenceGeometry?
  /// Seconds inside before an ENTER counts, at most `Limits.spanSeconds`; 0 for immediately.
  public var dwellSeconds: UInt32?
  /// Seconds until command reviews the fence, at most `Limits.spanSeconds`; 0 for never.
  public var reviewSeconds: UInt32?
  /// Whether an entry raises an alert.
  public var alertsEntry: Bool?
  /// Replaces the free text that was imported with the outline; at most `Limits.paragraphBytes`.
  public var properties: String?

  /// Creates a set of changes. Nothing is validated here: a value out of range is rejected on
  /// write.
  public init(
    name: String? = nil, kind: FenceKind? = nil, geometry: FenceGeometry? = nil,
    dwellSeconds: UInt32? = nil, reviewSeconds: UInt32? = nil, alertsEntry: Bool? = nil
  ) {
    self.name = name
    self.kind = kind
    self.geometry = geometry
    self.dwellSeconds = dwellSeconds
    self.reviewSeconds = reviewSeconds
    self.alertsEntry = alertsEntry
  }
}
