/// A new report, as somebody describes it.
public struct ReportDraft: Codable, Hashable, Sendable {
  /// One line that is not empty, at most `Limits.lineBytes`.
  public var title: String
  /// Longer words, at most `Limits.paragraphBytes`; nil leaves them unwritten.
  public var details: String?
  /// Nil is written as `other`.
  public var category: ReportCategory?
  /// 1 (slight) to 5 (gravest); nil where the author cannot say.
  public var severity: UInt8?
  /// Nil for a report that is not about one place.
  public var position: Coordinate?
  /// That people have to leave: sends the report in the urgent lane.
  public var toEvacuate: Bool

  /// Nothing is checked here: what is out of range is refused when it is written.
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
public struct ReportChanges: Codable, Hashable, Sendable {
  /// One line that is not empty, at most `Limits.lineBytes`.
  public var title: String?
  /// Longer words, at most `Limits.paragraphBytes`; an empty text takes away what was there.
  public var details: String?
  /// Taken back only by another category: none is no choice.
  public var category: ReportCategory?
  /// 1 (slight) to 5 (gravest).
  public var severity: UInt8?
  /// Moves the report; it cannot be taken off the map again.
  public var position: Coordinate?
  /// `false` takes away only the flags that this device has seen: one raised meanwhile stays.
  public var toEvacuate: Bool?
  /// `open` again where somebody resolved it too early.
  public var status: ReportStatus?

  /// Nothing is checked here: what is out of range is refused when it is written.
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
  /// Within `Limits`, or it is refused when it is written.
  public var geometry: FenceGeometry
  /// Free text that came with the outline.
  public var properties: String?
  /// Seconds inside before it is an ENTER, at most `Limits.spanSeconds`; 0 for at once.
  public var dwellSeconds: UInt32
  /// How sure an EXIT must be.
  public var mode: FenceMode
  /// Of whom somebody is to be inside, or there is an alert; nil for nobody.
  public var needs: Role?
  /// After how long command is to review the fence, 1 to `Limits.spanSeconds`; nil for never.
  public var reviewSeconds: UInt32?
  /// Whether an entry raises an alert.
  public var alertsEntry = true

  /// A fence begins active; nothing is checked here.
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

/// What to change of a fence; nil leaves a field alone.
public struct FenceChanges: Codable, Hashable, Sendable {
  /// One line that is not empty, at most `Limits.lineBytes`.
  public var name: String?
  /// What being inside means; what becomes a hazard leaves in the urgent lane.
  public var kind: FenceKind?
  /// Replaces the outline whole: within `Limits`, or it is refused when it is written.
  public var geometry: FenceGeometry?
  /// Seconds inside before it is an ENTER, at most `Limits.spanSeconds`; 0 for at once.
  public var dwellSeconds: UInt32?
  /// After how long command is to review the fence, at most `Limits.spanSeconds`; 0 for never.
  public var reviewSeconds: UInt32?
  /// Whether an entry raises an alert.
  public var alertsEntry: Bool?

  /// Nothing is checked here: what is out of range is refused when it is written.
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
