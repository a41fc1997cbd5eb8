public import Foundation
internal import MusterModel

#if canImport(FoundationXML)
  internal import FoundationXML
#endif

/// The shapes of a GPX or KML file: waypoints, tracks and routes; placemarks with points, lines and
/// polygons. Styles, times and links are ignored, and nothing is fetched.
public enum XMLOverlay {
  /// The largest file that is read.
  public static let maximumBytes = 16 << 20
  /// The most positions of one file.
  public static let maximumPositions = 200_000

  /// Reads a whole file, in UTF-8, in UTF-16 with a byte order mark, or in a declared one-byte
  /// encoding. Throws for a file that is too large, is neither GPX nor KML, is damaged, or has no
  /// shapes.
  public static func features(of data: Data) throws(OverlayFault) -> [OverlayFeature] {
    guard data.count <= maximumBytes else {
      throw OverlayFault("the file is larger than \(maximumBytes >> 20) MiB: split it")
    }
    let text: Data
    let root: Int
    do throws(GPXFault) {
      text = try XMLText.inUTF8(data)
      root = try XMLProlog.check(text)
    } catch {
      throw OverlayFault(
        "\(error)".replacing("the GPX file", with: "the file").replacing(" GPX ", with: " "))
    }
    let reader = OverlayReader(maximumPositions: maximumPositions)
    let features: [OverlayFeature]
    do throws(OverlayFault) {
      features = try reader.read(text)
    } catch {
      guard reader.isMalformed, let declared = XMLText.withDeclaredPrefixes(text, root: root) else {
        throw error
      }
      features = try OverlayReader(maximumPositions: maximumPositions).read(declared)
    }
    guard !features.isEmpty else {
      throw OverlayFault("the file has no points, lines or areas")
    }
    return features
  }
}

/// Collects the shapes from the stream of XML events.
private final class OverlayReader: NSObject, XMLParserDelegate {
  private static let depth = 64
  private static let nameBytes = 200
  /// A text of coordinates: as long as the file.
  private static let textBytes = XMLOverlay.maximumBytes

  private let maximumPositions: Int
  private var path: [String] = []
  private var text: String?
  private var name = ""
  private var line: [Coordinate] = []
  private var rings: [[Coordinate]] = []
  private var open: [OverlayFeature.Shape] = []
  private var features: [OverlayFeature] = []
  private var positions = 0
  private var fault: OverlayFault?
  /// Whether the parser, and not this reader, rejected the text.
  private(set) var isMalformed = false

  init(maximumPositions: Int) { self.maximumPositions = maximumPositions }

  func read(_ data: Data) throws(OverlayFault) -> [OverlayFeature] {
    // As a stream, since libxml2 rejects more than 10 MB in one piece.
    let parser = XMLParser(stream: InputStream(data: data))
    parser.shouldResolveExternalEntities = false
    parser.delegate = self
    let isWellFormed = parser.parse()
    if let fault { throw fault }
    guard isWellFormed, parser.parserError == nil else {
      isMalformed = true
      throw OverlayFault("the file is not well-formed XML at line \(max(1, parser.lineNumber))")
    }
    return features
  }

  // MARK: XML events

  func parser(
    _ parser: XMLParser, didStartElement element: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    guard fault == nil else { return }
    let local = element.split(separator: ":").last.map(String.init) ?? element
    if path.isEmpty, local != "gpx", local != "kml" {
      return stop(
        parser, "the file is neither GPX nor KML: it starts with <\(GPXFault.quote(local))>")
    }
    guard path.count < Self.depth else { return stop(parser, "the file is nested too deeply") }
    path.append(local)
    switch local {
    case "name", "coordinates": text = ""
    case "wpt", "trkpt", "rtept":
      guard let place = Self.place(attributes["lat"], attributes["lon"]), count(1) else {
        return stopAtPosition(parser)
      }
      if local == "wpt" { open = [.point(place)] } else { line.append(place) }
      if local == "wpt" { name = "" }
    case "trk", "rte", "Placemark": (name, open, line, rings) = ("", [], [], [])
    case "trkseg", "LineString", "LinearRing": line = []
    case "Polygon": rings = []
    default: break
    }
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    guard let length = text?.utf8.count else { return }
    let limit = path.last == "name" ? Self.nameBytes : Self.textBytes
    guard length < limit else { return }
    // In place: a change by way of `unicodeScalars` copies the text, once for each entity in it.
    if string.utf8.count <= limit - length {
      text?.append(string)
    } else {
      // Counts code points, since one character may have any number of them.
      text?.append(String(String.UnicodeScalarView(string.unicodeScalars.prefix(limit - length))))
    }
  }

  func parser(_ parser: XMLParser, foundCDATA block: Data) {
    self.parser(parser, foundCharacters: String(decoding: block, as: UTF8.self))
  }

  func parser(
    _ parser: XMLParser, didEndElement element: String, namespaceURI: String?,
    qualifiedName: String?
  ) {
    guard fault == nil, let local = path.popLast() else { return }
    let content = text
    text = nil
    switch (local, path.last ?? "") {
    case ("name", "wpt"), ("name", "trk"), ("name", "rte"), ("name", "Placemark"):
      name = (content ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
    case ("coordinates", let parent): take(content ?? "", of: parent, parser)
    case ("trkseg", _), ("LineString", _): closeLine()
    case ("LinearRing", _):
      if line.count > 3 { rings.append(line) }
      line = []
    case ("Polygon", _):
      if !rings.isEmpty { open.append(.polygon(rings)) }
      rings = []
    case ("rte", _):
      closeLine()
      close()
    case ("wpt", _), ("trk", _), ("Placemark", _): close()
    default: break
    }
  }

  func parser(
    _ parser: XMLParser, foundInternalEntityDeclarationWithName name: String, value: String?
  ) { stop(parser, "the file has a DOCTYPE, which is not accepted") }

  func parser(
    _ parser: XMLParser, foundExternalEntityDeclarationWithName name: String, publicID: String?,
    systemID: String?
  ) { stop(parser, "the file has a DOCTYPE, which is not accepted") }

  // MARK: Shapes

  /// Takes KML's tuples of longitude, latitude and perhaps altitude, separated by white space.
  private func take(_ text: String, of parent: String, _ parser: XMLParser) {
    for tuple in text.split(whereSeparator: \.isWhitespace) {
      let numbers = tuple.split(separator: ",", omittingEmptySubsequences: false)
      guard numbers.count >= 2, let place = Self.place(String(numbers[1]), String(numbers[0])),
        count(1)
      else { return stopAtPosition(parser) }
      if parent == "Point" { open.append(.point(place)) } else { line.append(place) }
    }
  }

  private func closeLine() {
    if line.count > 1 { open.append(.line(line)) }
    line = []
  }

  private func close() {
    features += open.map { OverlayFeature(name: name, shape: $0) }
    (name, open) = ("", [])
  }

  private func count(_ more: Int) -> Bool {
    positions += more
    return positions <= maximumPositions
  }

  private static func place(_ latitude: String?, _ longitude: String?) -> Coordinate? {
    func degrees(_ text: String?) -> Double? {
      text.flatMap { DecimalText.number($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    }
    guard let latitude = degrees(latitude), let longitude = degrees(longitude) else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  private func stopAtPosition(_ parser: XMLParser) {
    stop(
      parser,
      positions > maximumPositions
        ? "the file has more than \(maximumPositions) positions: split it"
        : "line \(parser.lineNumber) has a position that is not a latitude and a longitude")
  }

  private func stop(_ parser: XMLParser, _ reason: String) {
    fault = fault ?? OverlayFault(reason)
    parser.abortParsing()
  }
}
