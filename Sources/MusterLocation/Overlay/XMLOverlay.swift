public import Foundation
internal import MusterModel

/// The shapes of a GPX or KML file: waypoints, tracks and routes; placemarks with points, lines,
/// tracks and polygons. Styles and times are ignored, and nothing is fetched.
public enum XMLOverlay {
  /// Reads a whole file, in UTF-8, in UTF-16 with a byte order mark, or in a declared one-byte
  /// encoding. Throws for a file that is too large, is neither GPX nor KML, or is in another
  /// encoding.
  public static func shapes(of data: Data) throws(OverlayFault) -> OverlayShapes {
    guard data.count <= OverlayShapes.maximumBytes else {
      throw OverlayFault(
        "the file is larger than \(OverlayShapes.maximumBytes >> 20) MiB: split it")
    }
    let text: [UInt8]
    do throws(GPXFault) {
      text = try XMLText.inUTF8(data)
    } catch {
      throw OverlayFault(error)
    }
    var reader = OverlayReader(text)
    return try reader.read()
  }
}

extension OverlayFault {
  fileprivate init(_ fault: GPXFault) {
    self.init("\(fault)".replacing("the GPX file", with: "the file").replacing(" GPX ", with: " "))
  }
}

/// Collects the shapes from the events of an XML file.
private struct OverlayReader {
  /// Some programs write KML without its root.
  private static let roots: Set = ["gpx", "kml", "Document", "Folder", "Placemark"]
  private static let textBytes = 4096
  /// Elements of HTML in a description that contain no text.
  private static let hidden: Set = ["style", "script"]
  private static let notPosition = "is not a longitude and a latitude"

  private var scanner: XMLScanner
  private var shapes = OverlayShapes()
  /// The text of an element that is used, and the depth of that element.
  private var text: String?
  private var textDepth = 0
  private var positions = 0
  private var item = Item()
  private var line: [Coordinate] = []
  private var rings: [[Coordinate]] = []
  /// Whether a corner of the open area cannot be used: without it, it would be another area.
  private var isAreaBad = false

  /// What is open: a placemark, or a waypoint, a track or a route.
  private struct Item {
    var line = 0
    /// The texts in it, by the names of their elements.
    var texts: [String: String] = [:]
    var shapes: [OverlayFeature.Shape] = []
    /// Whether some of it was left out already, with its reason.
    var isNamed = false
  }

  init(_ text: [UInt8]) { scanner = XMLScanner(text) }

  mutating func read() throws(OverlayFault) -> OverlayShapes {
    while let event = try next() {
      switch event {
      case .start(let name, let attributes): try start(name, attributes)
      case .text(let more): append(more)
      case .end(let name): try end(name)
      }
    }
    if let (line, what) = scanner.damage { try shapes.leaveOut("line \(line)", what) }
    return shapes
  }

  private mutating func next() throws(OverlayFault) -> XMLScanner.Event? {
    do throws(GPXFault) { return try scanner.next() } catch { throw OverlayFault(error) }
  }

  private var place: String { "line \(scanner.line)" }

  // MARK: Events

  private mutating func start(
    _ name: String, _ attributes: [String: String]
  ) throws(OverlayFault) {
    if scanner.path.count == 1, !Self.roots.contains(name) {
      throw OverlayFault(
        "the file is neither GPX nor KML: it starts with <\(GPXFault.quote(name))>")
    }
    // A text may have markup in it, which is ignored.
    guard text == nil else {
      text?.append(" ")
      return
    }
    switch name {
    case "wpt", "trkpt", "rtept":
      if name == "wpt" { begin() }
      try take(attributes["lat"], attributes["lon"], isPoint: name == "wpt")
    case "trk", "rte", "Placemark", "NetworkLink", "GroundOverlay", "PhotoOverlay",
      "ScreenOverlay":
      begin()
    case "trkseg", "LineString", "LinearRing", "Track": line = []
    case "Polygon": (rings, isAreaBad) = ([], false)
    case "Model": try leaveOut("a model in three dimensions")
    case "name", "desc", "cmt", "description", "address", "href", "coordinates", "coord":
      (text, textDepth) = ("", scanner.path.count)
    default: break
    }
  }

  private mutating func append(_ more: String) {
    guard let length = text?.utf8.count, !Self.hidden.contains(scanner.path.last ?? "") else {
      return
    }
    // Coordinates are as long as the file.
    let isLong = scanner.path[textDepth - 1] == "coordinates"
    let limit = isLong ? OverlayShapes.maximumBytes : Self.textBytes
    guard length < limit else { return }
    text?.append(
      more.utf8.count <= limit - length
        ? more
        : String(String.UnicodeScalarView(more.unicodeScalars.prefix(limit - length))))
  }

  private mutating func end(_ name: String) throws(OverlayFault) {
    if let content = text {
      if scanner.path.count < textDepth {
        text = nil
        try take(content, of: name, in: scanner.path.last ?? "")
      }
      return
    }
    switch (name, scanner.path.last ?? "") {
    case ("LinearRing", "outerBoundaryIs"), ("LinearRing", "innerBoundaryIs"):
      rings.append(line)
      line = []
    case ("trkseg", _), ("LineString", _), ("Track", _), ("LinearRing", _): closeLine()
    case ("Polygon", _):
      if !isAreaBad { item.shapes.append(.polygon(rings)) }
      rings = []
    case ("rte", _):
      closeLine()
      try close()
    case ("wpt", _), ("trk", _), ("Placemark", _): try close()
    case ("NetworkLink", _):
      try leaveOut(
        "a link\(item.texts["href"].map { " to \($0)" } ?? ""), which is not followed: open it in "
          + "a browser, and add the file that it leads to")
    case ("GroundOverlay", _), ("PhotoOverlay", _), ("ScreenOverlay", _):
      try leaveOut(
        "a picture\(item.texts["href"].map { ", \($0)" } ?? ""): convert it into MBTiles with "
          + "gdal_translate (docs/maps.md)")
    default: break
    }
  }

  private mutating func take(
    _ content: String, of name: String, in parent: String
  ) throws(OverlayFault) {
    switch name {
    case "coordinates": try takeTuples(content, isPoint: parent == "Point")
    case "coord":
      let numbers = content.split(whereSeparator: \.isWhitespace).map(String.init)
      // An empty one is a time without a position.
      if !numbers.isEmpty { try take(numbers.dropFirst().first, numbers.first, isPoint: false) }
    case "href": item.texts[name] = XMLText.trimmed(content)
    default:
      guard ["wpt", "trk", "rte", "Placemark"].contains(parent) else { return }
      item.texts[name] = XMLText.trimmed(content)
    }
  }

  // MARK: Shapes

  private mutating func begin() {
    item = Item(line: scanner.line)
    (line, rings, isAreaBad) = ([], [], false)
  }

  private mutating func leaveOut(_ reason: String) throws(OverlayFault) {
    let place = place
    try shapes.leaveOut(place, reason)
    item.isNamed = true
  }

  private mutating func closeLine() {
    item.shapes.append(.line(line))
    line = []
  }

  private mutating func close() throws(OverlayFault) {
    let (name, details) = OverlayShapes.texts(in: item.texts.filter { $0.key != "address" })
    let place = "line \(item.line)" + (name.isEmpty ? "" : " (\(name.prefix(40)))")
    for shape in item.shapes {
      try shapes.add(shape, name: name, details: details, at: place)
    }
    if item.shapes.isEmpty, !item.isNamed {
      let address = item.texts["address"]
      try shapes.leaveOut(
        place,
        address.map {
          "only an address, \($0): give it coordinates, for example in Google Earth"
        } ?? "no coordinates")
    }
    item = Item()
  }

  /// Takes KML's tuples of longitude, latitude and perhaps altitude, separated by white space.
  private mutating func takeTuples(_ text: String, isPoint: Bool) throws(OverlayFault) {
    let line = scanner.line - text.utf8.count { $0 == 0x0A }
    var rest = text.utf8[...]
    var passed = 0
    while true {
      passed += rest.prefix { Self.isSpace($0) }.count { $0 == 0x0A }
      rest = rest.drop { Self.isSpace($0) }
      guard !rest.isEmpty else { return }
      // Some programs write a space after a comma.
      var end = rest.startIndex
      var last: UInt8 = 0
      while end < rest.endIndex, !Self.isSpace(rest[end]) || last == UInt8(ascii: ",") {
        if !Self.isSpace(rest[end]) { last = rest[end] }
        end = rest.index(after: end)
      }
      let tuple = String(decoding: rest[..<end], as: UTF8.self)
      let numbers = tuple.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      try take(
        (2...3).contains(numbers.count) ? numbers[1] : nil, numbers[0], isPoint: isPoint, tuple,
        at: "line \(line + passed)")
      rest = rest[end...]
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  /// Takes a position. One that cannot be used is left out of its line, and its area with it.
  private mutating func take(
    _ latitude: String?, _ longitude: String?, isPoint: Bool, _ quoted: String? = nil,
    at place: @autoclosure () -> String? = nil
  ) throws(OverlayFault) {
    positions += 1
    guard positions <= OverlayShapes.maximumPositions else { throw OverlayShapes.tooLarge }
    func degrees(_ text: String?) -> Double? {
      text.flatMap { DecimalText.number(XMLText.trimmed($0)) }
    }
    guard let north = degrees(latitude), let east = degrees(longitude),
      let position = OverlayShapes.place(latitude: north, longitude: east)
    else {
      let quoted = quoted ?? "\(longitude ?? "nothing"), \(latitude ?? "nothing")"
      let line = self.place
      try shapes.leaveOut(place() ?? line, "\(GPXFault.quote(quoted)) \(Self.notPosition)")
      item.isNamed = true
      isAreaBad = true
      return
    }
    if isPoint { item.shapes.append(.point(position)) } else { line.append(position) }
  }
}
