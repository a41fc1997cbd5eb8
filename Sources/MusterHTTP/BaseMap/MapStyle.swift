internal import MusterInterchange

/// A plain style for a vector map, in the format of MapLibre (maplibre.org/maplibre-style-spec).
///
/// It knows the layers of OpenMapTiles (openmaptiles.org/schema) and of Protomaps
/// (docs.protomaps.com/basemaps/layers), whose names hardly overlap: a layer that a map does not
/// have draws nothing. Layers of other schemas are drawn as plain areas, lines and points.
struct MapStyle {
  /// The colours of a theme.
  enum Theme: String, CaseIterable {
    case light, dark
  }

  private struct Palette {
    let ground, water, wood, green, built, house, road, main, edge, border, ink: String
  }

  private static let palettes: [Theme: Palette] = [
    .light: Palette(
      ground: "#f3f1ec", water: "#aacfe4", wood: "#c8dfb5", green: "#dfecd2", built: "#e6ded6",
      house: "#cfc5ba", road: "#ffffff", main: "#f6c667", edge: "#8f8578", border: "#86709d",
      ink: "#22282e"),
    .dark: Palette(
      ground: "#15191d", water: "#1b3a4f", wood: "#1c3020", green: "#1a2a1e", built: "#20242a",
      house: "#2d333a", road: "#59636d", main: "#8a6d2f", edge: "#0b0d10", border: "#8f7aa8",
      ink: "#d9e0e6"),
  ]

  /// The layers that the style knows, drawn or left out.
  private static let known: Set = [
    "aerodrome_label", "aeroway", "boundaries", "boundary", "building", "buildings", "earth",
    "housenumber", "landcover", "landuse", "mountain_peak", "ocean", "park", "place", "places",
    "poi", "pois", "roads", "transportation", "transportation_name", "water", "water_name",
    "waterway",
  ]
  private static let areas = #"["==",["geometry-type"],"Polygon"]"#
  private static let lines = #"["==",["geometry-type"],"LineString"]"#
  private static let points = #"["==",["geometry-type"],"Point"]"#
  /// tilemaker writes `name:latin` only.
  private static let name = #"["coalesce",["get","name"],["get","name:latin"],""]"#

  private let palette: Palette
  private var layers: [String]

  /// The text of the style.
  ///
  /// - Parameters:
  ///   - tiles: the address of the tiles, with `{z}`, `{x}` and `{y}`.
  ///   - glyphs: an address that the format requires. The dashboard never requests it.
  static func text(of map: BaseMap.About, _ theme: Theme, tiles: String, glyphs: String) -> String {
    guard let palette = palettes[theme] else { preconditionFailure("no palette for \(theme)") }
    var style = MapStyle(palette)
    style.addLand()
    style.addRoads()
    for layer in map.layers where !known.contains(layer) { style.addOther(layer) }
    style.addLabels()
    var source: [String: JSON] = [
      "type": .string("vector"), "tiles": .strings([tiles]),
      "minzoom": .count(map.zooms.lowerBound), "maxzoom": .count(map.zooms.upperBound),
      "attribution": .string(map.attribution),
    ]
    if let bounds = map.bounds { source["bounds"] = .array(bounds.map(JSON.real)) }
    let sources = JSON.object(["map": .object(source)]).text
    return #"{"version":8,"glyphs":\#(JSON.string(glyphs).text),"sources":\#(sources),"#
      + #""layers":[\#(style.layers.joined(separator: ","))]}"#
  }

  private init(_ palette: Palette) {
    self.palette = palette
    layers = [
      #"{"id":"ground","type":"background","paint":{"background-color":"\#(palette.ground)"}}"#
    ]
  }

  // MARK: What is drawn, the lowest first

  private mutating func addLand() {
    fill(
      ["landuse"], palette.built, Self.kinds("residential", "industrial", "commercial", "suburb"))
    fill(
      ["landcover", "landuse", "park"], palette.green,
      Self.kinds(
        "grass", "grassland", "meadow", "farmland", "farm", "park", "wetland", "nature_reserve"))
    fill(["landcover", "landuse"], palette.wood, Self.kinds("wood", "forest"))
    fill(["water", "ocean"], palette.water, Self.areas)
    line(["waterway", "water"], palette.water, Self.width(1, 7), Self.lines)
    fill(["building", "buildings"], palette.house, Self.areas)
  }

  private mutating func addRoads() {
    let main = Self.kinds("motorway", "trunk", "primary", "secondary", "highway", "major_road")
    let rail = Self.kinds("rail", "transit")
    let path = Self.kinds("path", "track", "pedestrian", "other")
    let street = #"["all",\#(Self.lines),["!",\#(main)],["!",\#(rail)],["!",\#(path)]]"#
    let roads = ["transportation", "roads"]
    line(roads, palette.edge, Self.width(0.7, 14), street)
    line(roads, palette.edge, Self.width(1.2, 20), main)
    line(roads, palette.road, Self.width(0.1, 10), street)
    line(roads, palette.main, Self.width(0.8, 16), main)
    line(roads, palette.edge, Self.width(0.3, 3), path, dashes: "[2,1.5]")
    line(roads, palette.edge, Self.width(0.5, 4), rail, dashes: "[4,1]")
    line(["boundary", "boundaries"], palette.border, "1.2", Self.lines, dashes: "[4,2]")
  }

  private mutating func addOther(_ layer: String) {
    fill([layer], palette.green, Self.areas)
    line([layer], palette.edge, "1", #"["!",\#(Self.points)]"#)
    add(
      "circle", layer, #"{"circle-color":"\#(palette.ink)","circle-radius":3}"#, Self.points)
    label([layer], size: "12")
  }

  private mutating func addLabels() {
    label(
      ["transportation_name", "roads"], size: "11", from: 13,
      more: #","symbol-placement":"line""#)
    label(["mountain_peak"], size: "11", from: 10, prefix: "▲ ")
    label(["place", "places"], size: #"["interpolate",["linear"],["zoom"],5,11,14,16]"#)
  }

  // MARK: Layers

  /// A filter of the kinds of a feature: `class` in OpenMapTiles, `kind` in Protomaps.
  private static func kinds(_ names: String...) -> String {
    let literal = JSON.strings(names).text
    return #"["in",["coalesce",["get","class"],["get","kind"],""],["literal",\#(literal)]]"#
  }

  /// A width in pixels that grows with the zoom.
  private static func width(_ least: Double, _ most: Double) -> String {
    #"["interpolate",["exponential",1.5],["zoom"],6,\#(least),18,\#(most)]"#
  }

  private mutating func add(
    _ type: String, _ layer: String, _ paint: String, _ filter: String, _ more: String = ""
  ) {
    layers.append(
      #"{"id":"\#(layers.count)","type":"\#(type)","source":"map","#
        + #""source-layer":\#(JSON.string(layer).text),"paint":\#(paint),"#
        + #""filter":\#(filter)\#(more)}"#)
  }

  private mutating func fill(_ names: [String], _ colour: String, _ filter: String) {
    for name in names { add("fill", name, #"{"fill-color":"\#(colour)"}"#, filter) }
  }

  private mutating func line(
    _ names: [String], _ colour: String, _ width: String, _ filter: String, dashes: String? = nil
  ) {
    let dashed = dashes.map { #","line-dasharray":\#($0)"# } ?? ""
    let cap = dashes == nil ? "round" : "butt"
    for name in names {
      add(
        "line", name, #"{"line-color":"\#(colour)","line-width":\#(width)\#(dashed)}"#, filter,
        #","layout":{"line-join":"round","line-cap":"\#(cap)"}"#)
    }
  }

  private mutating func label(
    _ names: [String], size: String, from zoom: Int = 0, prefix: String = "", more: String = ""
  ) {
    let paint =
      #"{"text-color":"\#(palette.ink)","text-halo-color":"\#(palette.ground)","#
      + #""text-halo-width":1.5}"#
    for name in names {
      add(
        "symbol", name, paint, #"["!=",\#(Self.name),""]"#,
        #","minzoom":\#(zoom),"layout":{"text-field":["concat","\#(prefix)",\#(Self.name)],"#
          + #""text-font":["sans"],"text-size":\#(size),"text-max-width":8\#(more)}"#)
    }
  }
}
