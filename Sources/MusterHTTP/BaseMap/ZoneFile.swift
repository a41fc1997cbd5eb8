internal import Foundation
internal import MusterInterchange
public import MusterLocation
public import MusterModel

/// The zones of a file: its areas, and its points if they have a radius. GeoJSON states more of a
/// zone than an overlay can: its kind, its radius, and whether it is active.
public struct ZoneFile: Sendable {
  /// A zone as the file describes it.
  public struct Zone: Sendable {
    /// The zone to add.
    public fileprivate(set) var draft: FenceDraft
    /// Whether it is active from the start.
    public let isActive: Bool

    fileprivate init(_ fence: ImportedFence) {
      draft = FenceDraft(
        name: fence.name ?? "", kind: fence.kind.flatMap(FenceKind.init(name:)) ?? .info,
        geometry: fence.geometry, properties: fence.properties)
      isActive = fence.isActive ?? true
    }
  }

  /// The zones, in the order of the file.
  public private(set) var zones: [Zone] = []
  private var omissions = ImportOutcome()

  /// What was used, and what was left out.
  public var outcome: ImportOutcome { omissions.using(zones.count) }

  /// Reads a file of any format of an overlay.
  ///
  /// - Parameters:
  ///   - path: its path, which names zones without a name.
  ///   - kind: nil for those of the file, else `info`.
  ///   - radiusMetres: of a zone around each point that states none; nil for none.
  /// - Throws: if the file as a whole is not read.
  public init(
    opening path: String, kind: FenceKind? = nil, radiusMetres: Double? = nil
  ) throws(OverlayFault) {
    try self.init(OverlayContent(opening: path), path, kind: kind, radiusMetres: radiusMetres)
  }

  /// The same for the bytes of a file.
  init(
    _ data: Data, named name: String, kind: FenceKind? = nil, radiusMetres: Double? = nil
  ) throws(OverlayFault) {
    try self.init(OverlayContent(data), name, kind: kind, radiusMetres: radiusMetres)
  }

  private init(
    _ content: OverlayContent, _ name: String, kind: FenceKind?, radiusMetres: Double?
  ) throws(OverlayFault) {
    if case .bytes(let data) = content, GeoJSONOverlay.isGeoJSON(data) {
      try read(data, radiusMetres)
    } else {
      let overlay = try MapOverlay(content)
      omissions = overlay.outcome
      for feature in overlay.features { add(feature, radiusMetres) }
    }
    for index in zones.indices {
      zones[index].draft.name = OverlayContent.name(zones[index].draft.name, index, in: name)
      if let kind { zones[index].draft.kind = kind }
    }
  }

  /// Leaves out the zones that exist with the same name and outline.
  public mutating func leaveOut(_ existing: [FenceSummary]) {
    zones = omissions.leavingOut(zones, named: \.draft.name, "it is a zone already") { zone in
      existing.contains { $0.name == zone.draft.name && $0.geometry == zone.draft.geometry }
    }
  }

  /// The zones as GeoJSON, a circle as a Point with `radius_m`, and what was left out.
  var json: JSON {
    let features = zones.enumerated().map { index, zone in
      GeoJSON.feature(
        of: ExportedFence(
          id: "\(index + 1)", name: zone.draft.name, kind: zone.draft.kind.name,
          isActive: zone.isActive, properties: zone.draft.properties,
          geometry: zone.draft.geometry))
    }
    return .object([
      "type": .string("FeatureCollection"), "features": .array(features), "import": outcome.json,
    ])
  }

  private mutating func read(_ data: Data, _ radiusMetres: Double?) throws(OverlayFault) {
    do {
      let file = try GeoJSON.read(data, radiusMetres: radiusMetres)
      (zones, omissions) = (file.fences.map(Zone.init), file.outcome)
    } catch {
      throw OverlayFault("\(error)")
    }
  }

  private mutating func add(_ feature: OverlayFeature, _ radiusMetres: Double?) {
    if case .line = feature.shape {
      return omissions.leaveOut(feature.place, "a line, which has no inside")
    }
    do {
      zones.append(Zone(try GeoJSON.fence(of: feature.json, radiusMetres: radiusMetres)))
    } catch {
      omissions.leaveOut(feature.place, "\(error)")
    }
  }
}
