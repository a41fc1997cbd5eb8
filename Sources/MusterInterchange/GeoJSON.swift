public import MusterModel

/// Fences from and to other tools as GeoJSON (RFC 7946): WGS 84, longitude before latitude.
///
/// A circle, which GeoJSON does not know, is a Point with a property `radius_m`. The properties
/// `name`, `kind` and `active` are the fence's own; all others are kept as they are.
public enum GeoJSON {
  /// The properties that are fields of a fence.
  enum Key {
    static let name = "name"
    static let kind = "kind"
    static let isActive = "active"
    static let radius = "radius_m"
    /// Holds a fence's properties when they are words rather than a JSON object.
    static let words = "properties"
    static let own: Set<String> = [name, kind, isActive, radius]
  }
}

/// A fence that was read from a file; its geometry is valid and in its one form.
public struct ImportedFence: Hashable, Sendable {
  /// The property `name`, if it is a text.
  public let name: String?
  /// The property `kind`, if it is a text: `muster`, `hazard`, `info`, or something unknown.
  public let kind: String?
  /// The property `active`, if it is there.
  public let isActive: Bool?
  /// All other properties as compact JSON with its keys in order; nil when there are none.
  public let properties: String?
  /// The outline.
  public let geometry: FenceGeometry
}

/// What a file held.
public struct GeoJSONFile: Hashable, Sendable {
  /// The fences, in the order of the file.
  public internal(set) var fences: [ImportedFence]
  /// Why each other feature is none, in the order of the file. Whoever imports MUST show them.
  public internal(set) var refused: [GeoJSONFault]
}

/// A fence to be written to a file.
public struct ExportedFence: Hashable, Sendable {
  /// The feature's id.
  public var id: String
  /// The property `name`.
  public var name: String
  /// The property `kind`.
  public var kind: String
  /// The property `active`.
  public var isActive: Bool
  /// More properties: the members of a JSON object, or any other text, which becomes the
  /// property `properties`.
  public var properties: String?
  /// The outline.
  public var geometry: FenceGeometry

  /// Everything of a fence that a file can hold.
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
