internal import MusterModel

/// Fences, everybody's way, and where they are in the end.
struct ReportMap {
  let html: String
  /// Whether anybody moves, or there is a fence, or people are apart.
  let isWorthALook: Bool

  private static let side = 960.0
  private static let margin = 40.0
  private static let mostNames = 40
  private static let hues = 12

  private struct Frame {
    var south: Double, north: Double, west: Double, east: Double

    func x(_ point: GroundPoint) -> Double {
      margin + (point.east - west) / max(1, east - west) * (side - 2 * margin)
    }

    var scale: Double { (side - 2 * margin) / max(1, east - west) }
    var height: Double { min(900, max(160, (north - south) * scale + 2 * margin)) }
    func y(_ point: GroundPoint) -> Double {
      height / 2 - (point.north - (north + south) / 2) * scale
    }
  }

  init(_ world: World, _ moments: [Recording.MeshSample]) throws {
    let fences = try world.nodes.first?.change { try $0.queries.fences() } ?? []
    let frame = Self.frame(moments, fences)
    let places = moments.flatMap { $0.nodes.map(\.place) }
    isWorthALook = !fences.isEmpty || Set(places).count > 1
    var drawing = ""
    for fence in fences {
      let kind = "fence k\(fence.kind.rawValue)" + (fence.isActive ? "" : " idle")
      let title = "<title>\(Markup.escaped(fence.name))</title>"
      switch fence.geometry {
      case .circle(let center, let radius):
        let place = Terrain.point(of: center)
        drawing += """
          <circle class="\(kind)" cx="\(ReportText.number(frame.x(place)))" \
          cy="\(ReportText.number(frame.y(place)))" \
          r="\(ReportText.number(Double(radius) / 100 * frame.scale))">\(title)</circle>
          """
      case .polygons(let polygons):
        let path = polygons.flatMap { [$0.outer] + $0.holes }.map { ring in
          "M"
            + ring.vertices.map { vertex in
              let place = Terrain.point(of: vertex)
              return "\(ReportText.number(frame.x(place))) \(ReportText.number(frame.y(place)))"
            }.joined(separator: "L") + "Z"
        }.joined()
        drawing += "<path class=\"\(kind)\" fill-rule=\"evenodd\" d=\"\(path)\">\(title)</path>"
      }
    }
    drawing += Self.ways(world, moments, frame) + Self.ruler(frame)
    html = """
      <svg class="map" viewBox="0 0 \(Int(Self.side)) \(Int(frame.height))" role="img" \
      aria-label="A map of fences and ways">\(drawing)</svg>
      <p class="legend"><i class="k1"></i>muster fence <i class="k2"></i>hazard \
      <i class="k3"></i>for information; dots are where people are in the end</p>
      """
  }

  private static func ways(
    _ world: World, _ moments: [Recording.MeshSample], _ frame: Frame
  ) -> String {
    var drawing = ""
    for node in world.nodes {
      let places = moments.map { moment in
        let place = moment.nodes[node.index].place
        return "\(ReportText.number(frame.x(place))),\(ReportText.number(frame.y(place)))"
      }
      var way: [String] = []
      for place in places where place != way.last { way.append(place) }
      guard let last = moments.last?.nodes[node.index].place else { continue }
      let hue = "h\(node.index % hues)"
      if way.count > 1 {
        drawing += "<polyline class=\"way \(hue)\" points=\"\(way.joined(separator: " "))\"/>"
      }
      let (x, y) = (frame.x(last), frame.y(last))
      drawing += """
        <circle class="who \(hue)" cx="\(ReportText.number(x))" cy="\(ReportText.number(y))" r="5">\
        <title>\(Markup.escaped(node.name))</title></circle>
        """
      if world.nodes.count <= mostNames, way.count > 1 || node.index == 0 {
        drawing += """
          <text class="name" x="\(ReportText.number(x + 8))" y="\(ReportText.number(y + 4))">\
          \(Markup.escaped(node.name))</text>
          """
      }
    }
    return drawing
  }

  private static func frame(
    _ moments: [Recording.MeshSample], _ fences: [FenceSummary]
  ) -> Frame {
    var points = moments.flatMap { $0.nodes.map(\.place) }
    for fence in fences {
      switch fence.geometry {
      case .circle(let center, let radius):
        let (place, metres) = (Terrain.point(of: center), Double(radius) / 100)
        points.append(GroundPoint(north: place.north - metres, east: place.east - metres))
        points.append(GroundPoint(north: place.north + metres, east: place.east + metres))
      case .polygons(let polygons):
        points += polygons.flatMap { $0.outer.vertices.map(Terrain.point) }
      }
    }
    let (norths, easts) = (points.map(\.north), points.map(\.east))
    var frame = Frame(
      south: norths.min() ?? 0, north: norths.max() ?? 0, west: easts.min() ?? 0,
      east: easts.max() ?? 0)
    // A tall strip of land gets room at its sides, and a single place a surrounding.
    let width = max(frame.east - frame.west, (frame.north - frame.south) * 1.15, 100)
    let middle = (frame.east + frame.west) / 2
    (frame.west, frame.east) = (middle - width / 2, middle + width / 2)
    return frame
  }

  /// A round length of about an eighth of the map.
  private static func ruler(_ frame: Frame) -> String {
    let wanted = side / 8 / frame.scale
    var metres = 1.0
    while metres * 10 <= wanted { metres *= 10 }
    if metres * 5 <= wanted { metres *= 5 } else if metres * 2 <= wanted { metres *= 2 }
    let y = ReportText.number(frame.height - 14)
    let end = ReportText.number(16 + metres * frame.scale)
    let words = metres >= 1000 ? "\(Int(metres / 1000)) km" : "\(Int(metres)) m"
    return """
      <line class="ruler" x1="16" x2="\(end)" y1="\(y)" y2="\(y)"/>\
      <text class="tick" x="16" y="\(ReportText.number(frame.height - 20))">\(words)</text>
      """
  }
}
