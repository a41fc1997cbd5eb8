public import MusterGeo
internal import MusterModel

/// Why a GeoJSON file is rejected, and where.
public struct GeoJSONFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of fault.
  public enum Reason: Hashable, Sendable {
    case tooLarge(Int)
    case tooDeep
    case notJSON(line: Int, column: Int, what: String)
    /// A member is missing or of the wrong type.
    case malformed(String)
    /// A type of GeoJSON that cannot be a zone.
    case noZone(String)
    case pointWithoutRadius
    case badPosition(GeometryFault.Place, String)
    case unclosed(GeometryFault.Place)
    case badRadius(String)
    case propertiesTooLong(Int)
    case geometry(GeometryFault)
  }

  /// The kind of fault.
  public let reason: Reason
  /// The index of the feature in a collection; nil for a fault of the whole file.
  public let feature: Int?
  /// The name of that feature, if it has one.
  public let name: String?

  init(_ reason: Reason, feature: Int? = nil, name: String? = nil) {
    self.reason = reason
    self.feature = feature
    self.name = name
  }

  /// One line with the remedy.
  public var description: String {
    guard let feature else { return explanation }
    let label = name.map { " (\($0.prefix(40)))" } ?? ""
    return "feature \(feature)\(label): \(explanation)"
  }

  private var explanation: String {
    switch reason {
    case .tooLarge(let bytes):
      "the file has \(bytes) bytes; at most \(JSONReader.mostBytes) are allowed: split it"
    case .tooDeep:
      "lists or objects are nested over \(JSONReader.mostDepth) deep: this is not GeoJSON"
    case .notJSON(let line, let column, let what):
      "not JSON at line \(line), column \(column): \(what)"
    case .malformed(let what):
      what
    case .noZone(let type):
      "\(type) cannot be a zone: use Polygon, MultiPolygon, or Point with a radius"
    case .pointWithoutRadius:
      "a point: give a radius for a zone around it (radius_m in GeoJSON)"
    case .badPosition(let place, let what):
      "\(place): \(what)"
    case .unclosed(let place):
      "\(place): the ring is not closed: repeat its first position at the end"
    case .badRadius(let what):
      "radius_m is \(what): give the circle's radius in metres"
    case .propertiesTooLong(let bytes):
      "the properties have \(bytes) bytes; at most \(Limits.paragraphBytes) are allowed"
    case .geometry(let fault):
      fault.description
    }
  }
}
