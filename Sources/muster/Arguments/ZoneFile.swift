internal import Foundation
internal import MusterGeo
internal import MusterInterchange
internal import MusterLocation
internal import MusterModel

/// The zones of a GeoJSON, KML or GPX file: its areas, and its points if a radius is given.
struct ZoneFile {
  struct Zone {
    var draft: FenceDraft
    var isActive = true
  }

  private(set) var zones: [Zone] = []
  /// Why each other shape of the file is no zone, with its number or name.
  private(set) var leftOut: [String] = []

  /// - Parameters:
  ///   - data: the file.
  ///   - path: its path, which names zones without a name.
  ///   - kind: nil for those of the file, else `info`.
  ///   - radiusCentimetres: of a zone around each point that states none; nil for none.
  init(
    _ data: Data, path: String, kind: FenceKind?, radiusCentimetres: UInt32?
  ) throws(Refusal) {
    let fallback = URL(filePath: path).deletingPathExtension().lastPathComponent
    do {
      // After white space and a byte order mark, of UTF-16 too.
      let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF, 0xFF, 0xFE, 0x00]
      if data.first(where: { !blanks.contains($0) }) == UInt8(ascii: "{") {
        try readGeoJSON(data, radiusCentimetres)
      } else {
        try readXML(data, radiusCentimetres)
      }
    } catch {
      throw Refusal("\(path): \(error)")
    }
    for index in zones.indices {
      let name = TextRule.line.fitting(zones[index].draft.name)
      zones[index].draft.name =
        name.contains { !$0.isWhitespace } ? name : "\(fallback) \(index + 1)"
      if let kind { zones[index].draft.kind = kind }
    }
  }

  /// Leaves out the zones that exist with the same name and outline.
  mutating func leaveOut(_ existing: [FenceSummary]) {
    zones.removeAll { zone in
      let isKnown = existing.contains {
        $0.name == zone.draft.name && $0.geometry == zone.draft.geometry
      }
      if isKnown { leftOut.append("\(zone.draft.name): it is a zone already") }
      return isKnown
    }
  }

  private mutating func readGeoJSON(_ data: Data, _ radiusCentimetres: UInt32?) throws {
    let metres = radiusCentimetres.map { Double($0) / 100 }
    let file = try GeoJSON.read(metres.map { try Self.withRadius($0, data) } ?? data)
    zones = file.fences.map { fence in
      let kind = fence.kind.flatMap(FenceKind.init(name:)) ?? .info
      let draft = FenceDraft(
        name: fence.name ?? "", kind: kind, geometry: fence.geometry, properties: fence.properties)
      return Zone(draft: draft, isActive: fence.isActive ?? true)
    }
    leftOut = file.refused.map(\.description)
  }

  /// Gives a radius to each point that has none.
  private static func withRadius(_ metres: Double, _ data: Data) throws -> Data {
    let document = try JSON.read(Array(data))
    guard let features = document.members?["features"]?.elements, var members = document.members
    else { return data }
    members["features"] = .array(
      features.map { feature in
        guard var members = feature.members,
          members["geometry"]?.members?["type"]?.word == "Point"
        else { return feature }
        var properties = members["properties"]?.members ?? [:]
        if properties["radius_m"] == nil { properties["radius_m"] = .real(metres) }
        members["properties"] = .object(properties)
        return .object(members)
      })
    return Data(JSON.object(members).text.utf8)
  }

  private mutating func readXML(_ data: Data, _ radiusCentimetres: UInt32?) throws {
    let shapes = try XMLOverlay.shapes(of: data)
    leftOut = shapes.outcome.omissions.map(\.description)
    let more = shapes.outcome.leftOut - leftOut.count
    if more > 0 { leftOut.append("\(more) more parts of the file") }
    for (index, feature) in shapes.features.enumerated() {
      let label = "shape \(index + 1)" + (feature.name.isEmpty ? "" : " (\(feature.name))")
      do {
        let geometry: FenceGeometry
        switch feature.shape {
        case .polygon(let rings):
          let polygon = FencePolygon(
            outer: Ring(rings.first ?? []), holes: rings.dropFirst().map(Ring.init))
          geometry = try FenceGeometry.validated(polygons: [polygon])
        case .point(let center):
          guard let radiusCentimetres else {
            throw Refusal("it is a point: give --radius for a zone around it")
          }
          geometry = try FenceGeometry.validatedCircle(
            center: center, radiusCentimetres: radiusCentimetres)
        case .line: throw Refusal("it is a line, which has no inside")
        }
        zones.append(
          Zone(draft: FenceDraft(name: feature.name, kind: .info, geometry: geometry)))
      } catch {
        leftOut.append("\(label): \(error)")
      }
    }
  }
}
