internal import Foundation
internal import MusterInterchange
internal import MusterLocation
internal import MusterModel

/// The shapes of a GeoJSON file (RFC 7946) or sequence (RFC 8142).
enum GeoJSONOverlay {
  private typealias Ring = [Coordinate]

  /// Whether a file is GeoJSON or something else, by its first byte.
  static func isGeoJSON(_ data: Data) -> Bool {
    MarkedText.firstByte(of: data) == UInt8(ascii: "{")
  }

  /// Reads a whole file. Throws if it is not GeoJSON, or has too many positions.
  static func shapes(of data: Data) throws -> OverlayShapes {
    var features = try GeoJSONFeatures(data, atMost: OverlayShapes.maximumBytes)
    var shapes = OverlayShapes()
    while let feature = features.next() {
      let place = "line \(feature.line)"
      switch feature.value {
      case .success(let json): try add(json, to: &shapes, at: place)
      case .failure(let fault): try shapes.leaveOut(place, "\(fault)")
      }
    }
    return shapes
  }

  /// - Parameter place: the line of the feature.
  private static func add(_ feature: JSON, to shapes: inout OverlayShapes, at place: String) throws
  {
    let properties = feature.members?["properties"]?.members ?? [:]
    let (name, details) = OverlayShapes.texts(in: properties.compactMapValues(\.plainText))
    let place = name.isEmpty ? place : "\(place) (\(name.prefix(40)))"
    for one in parts(of: feature.members?["geometry"] ?? feature) {
      let coordinates = one.members?["coordinates"]?.withoutEmptyParts ?? .null
      let type = one.members?["type"]?.word ?? ""
      // Empty coordinates are no geometry (RFC 7946 3.1).
      if coordinates == .array([]) || coordinates == .null || type.isEmpty {
        try shapes.leaveOut(place, "no coordinates")
        continue
      }
      var faults: [String] = []
      for shape in self.shapes(type, coordinates, &faults) {
        try shapes.add(shape, name: name, details: details, at: place)
      }
      for fault in faults { try shapes.leaveOut(place, fault) }
    }
  }

  /// Returns the geometries of a collection, of one level as in other readers, or the geometry
  /// itself.
  private static func parts(of geometry: JSON) -> [JSON] {
    guard geometry.members?["type"]?.word == "GeometryCollection" else { return [geometry] }
    return geometry.members?["geometries"]?.elements ?? []
  }

  /// Returns the shapes of a geometry. A position that cannot be used is left out of its line, and
  /// its area with it, since that would be another area.
  private static func shapes(
    _ type: String, _ coordinates: JSON, _ faults: inout [String]
  ) -> [OverlayFeature.Shape] {
    let parts = coordinates.elements ?? []
    switch type {
    case "Point": return places([coordinates], &faults).map { .point($0) }
    case "MultiPoint": return places(parts, &faults).map { .point($0) }
    case "LineString": return [.line(places(parts, &faults))]
    case "MultiLineString":
      return parts.map { .line(places($0.elements ?? [], &faults)) }
    case "Polygon": return area(parts, &faults).map { [$0] } ?? []
    case "MultiPolygon": return parts.compactMap { area($0.elements ?? [], &faults) }
    default:
      faults.append("\(type.prefix(40)), which is no geometry of GeoJSON")
      return []
    }
  }

  private static func area(_ rings: [JSON], _ faults: inout [String]) -> OverlayFeature.Shape? {
    let before = faults.count
    let outlines = rings.map { places($0.elements ?? [], &faults) }
    return faults.count == before ? .polygon(outlines) : nil
  }

  private static func places(_ positions: [JSON], _ faults: inout [String]) -> Ring {
    var places: Ring = []
    for position in positions {
      let numbers = (position.elements ?? []).prefix(2).compactMap { number in
        if case .number(let digits) = number { Double(digits) } else { nil }
      }
      if numbers.count == 2,
        let place = OverlayShapes.place(latitude: numbers[1], longitude: numbers[0])
      {
        places.append(place)
      } else {
        let found = position.elements == nil ? position.kind : position.text
        faults.append("\(found.prefix(60)) is not a longitude and a latitude")
      }
    }
    return places
  }
}

extension JSON {
  /// A list without the lists in it that contain nothing.
  fileprivate var withoutEmptyParts: JSON {
    guard let elements else { return self }
    return .array(elements.map(\.withoutEmptyParts).filter { $0 != .array([]) })
  }
}
