public import MusterGeo
internal import MusterModel

/// Why a GeoJSON file is refused, and where.
public struct GeoJSONFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public enum Reason: Hashable, Sendable {
    case tooLarge(Int)
    case tooDeep
    case notJSON(line: Int, column: Int, what: String)
    /// A member is missing or of the wrong type.
    case malformed(String)
    /// A type of GeoJSON that can be no fence.
    case noFence(String)
    case badPosition(GeometryFault.Place, String)
    case unclosed(GeometryFault.Place)
    case badRadius(String)
    case propertiesTooLong(Int)
    case geometry(GeometryFault)
  }

  /// What is wrong.
  public let reason: Reason
  /// Which feature of a collection, counted from 0; nil when it is about the whole file.
  public let feature: Int?
  /// The name of that feature, if it has one.
  public let name: String?

  init(_ reason: Reason, feature: Int? = nil, name: String? = nil) {
    self.reason = reason
    self.feature = feature
    self.name = name
  }

  /// One line that says what to do.
  public var description: String {
    guard let feature else { return explanation }
    let label = name.map { " (\($0.prefix(40)))" } ?? ""
    return "feature \(feature)\(label): \(explanation)"
  }

  private var explanation: String {
    switch reason {
    case .tooLarge(let bytes):
      "the file has \(bytes) bytes and may have \(JSONReader.mostBytes): split it"
    case .tooDeep:
      "lists or objects are nested over \(JSONReader.mostDepth) deep: this is no GeoJSON"
    case .notJSON(let line, let column, let what):
      "not JSON at line \(line), column \(column): \(what)"
    case .malformed(let what):
      what
    case .noFence(let type):
      "\(type) cannot be a fence: use Polygon, MultiPolygon, or Point with a property radius_m"
    case .badPosition(let place, let what):
      "\(place): \(what)"
    case .unclosed(let place):
      "\(place): the ring is not closed: repeat its first position at the end"
    case .badRadius(let what):
      "radius_m is \(what): give the circle's radius in metres"
    case .propertiesTooLong(let bytes):
      "the properties have \(bytes) bytes and may have \(Limits.paragraphBytes): shorten them"
    case .geometry(let fault):
      fault.description
    }
  }
}
