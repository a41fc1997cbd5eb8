public import MusterModel

/// Import and export of fences as GeoJSON (RFC 7946): WGS 84, longitude before latitude.
///
/// GeoJSON has no circles; a circle is a Point with a property `radius_m`. The properties `name`,
/// `kind` and `active` are fields of the fence; all others are kept unchanged.
public enum GeoJSON {
  /// The properties that are fields of a fence.
  enum Key {
    static let name = "name"
    static let kind = "kind"
    static let isActive = "active"
    static let radius = "radius_m"
    /// Contains a fence's properties if they are text instead of a JSON object.
    static let words = "properties"
    static let own: Set<String> = [name, kind, isActive, radius]
  }
}

/// A fence that was read from a file; its geometry is valid and canonical.
public struct ImportedFence: Hashable, Sendable {
  /// The property `name`, if it is a text.
  public let name: String?
  /// The property `kind`, if it is a text: `muster`, `hazard`, `info`, or an unknown one.
  public let kind: String?
  /// The property `active`, if present.
  public let isActive: Bool?
  /// All other properties as compact JSON with sorted keys; nil if there are none.
  public let properties: String?
  /// The outline.
  public let geometry: FenceGeometry
}

/// The content of a file.
public struct GeoJSONFile: Hashable, Sendable {
  /// The fences, in the order of the file.
  public private(set) var fences: [ImportedFence]
  /// Why the first of the other features was rejected.
  public private(set) var fault: GeoJSONFault?
  /// What was used, and what was rejected. The importer MUST show it.
  public private(set) var outcome = ImportOutcome()

  init(fences: [ImportedFence] = []) {
    self.fences = fences
    outcome.use(fences.count)
  }

  /// Adds a feature, or why it cannot be a fence.
  ///
  /// - Parameters:
  ///   - index: that of the feature in the file, from 0.
  ///   - line: where it begins, from 1; nil if unknown.
  ///   - radiusMetres: of a point that states none; nil for none.
  mutating func add(
    _ feature: Result<JSON, GeoJSONFault>, at index: Int, line: Int? = nil,
    radiusMetres: Double? = nil
  ) {
    do throws(GeoJSONFault) {
      fences.append(try GeoJSON.fence(of: try feature.get(), radiusMetres: radiusMetres))
      outcome.use()
    } catch {
      var name: String?
      if case .success(let json) = feature {
        name = json.members?["properties"]?.members.flatMap(GeoJSON.name(in:))
      }
      fault = fault ?? GeoJSONFault(error.reason, feature: index, name: name)
      let label = name.map { " (\($0.prefix(40)))" } ?? ""
      outcome.leaveOut(
        (line.map { "line \($0)" } ?? "feature \(index)") + label,
        GeoJSONFault(error.reason).description)
    }
  }
}

/// A fence to write to a file.
public struct ExportedFence: Hashable, Sendable {
  /// The feature's id.
  public var id: String
  /// The property `name`.
  public var name: String
  /// The property `kind`.
  public var kind: String
  /// The property `active`.
  public var isActive: Bool
  /// More properties: the members of a JSON object, or any other text, which becomes the property
  /// `properties`.
  public var properties: String?
  /// The outline.
  public var geometry: FenceGeometry

  /// Creates a value with everything of a fence that a file can contain.
  public init(
    id: String, name: String, kind: String, isActive: Bool, properties: String?,
    geometry: FenceGeometry
  ) {
    self.id = id
    self.name = name
    self.kind = kind
    self.isActive = isActive
    self.properties = properties
    self.geometry = geometry
  }
}
