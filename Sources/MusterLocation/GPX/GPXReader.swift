internal import Foundation
internal import MusterModel

#if canImport(FoundationXML)
  internal import FoundationXML
#endif

/// Extracts the points from the stream of XML events.
///
/// It identifies a point by its whole path (`gpx/trk/trkseg/trkpt`), so that an element of the same
/// name in an extension is ignored.
final class GPXReader: NSObject, XMLParserDelegate {
  private static let trackPoint = ["gpx", "trk", "trkseg", "trkpt"]
  private static let routePoint = ["gpx", "rte", "rtept"]
  /// Longer than any time or number. Longer texts are truncated.
  private static let textBytes = 64
  /// GPX nests six deep; extensions may add some.
  private static let depth = 64

  private let maximumPoints: Int
  private var path: [String] = []
  private var hasRoot = false
  private var open: OpenPoint?
  private var text: String?
  private var trackPoints: [GPXTrack.Point] = []
  private var routePoints: [GPXTrack.Point] = []
  private var fault: GPXFault?
  private var leftOut = 0
  private var firstFault: GPXFault?
  private var hasBadTime = false

  private struct OpenPoint {
    let isOfTrack: Bool
    let depth: Int
    let line: Int
    let position: Coordinate
    var accuracyDecimetres: UInt32?
    var time: Timestamp?
  }

  init(maximumPoints: Int) {
    self.maximumPoints = maximumPoints
  }

  /// MUST be called once.
  func read(_ data: Data) throws(GPXFault) -> GPXTrack {
    // As a stream, since libxml2 rejects more than 10 MB in one piece.
    let parser = XMLParser(stream: InputStream(data: data))
    parser.shouldResolveExternalEntities = false
    parser.delegate = self
    let isWellFormed = parser.parse()
    if let fault { throw fault }
    // Foundation on Linux accepts a document without any element as well-formed.
    guard isWellFormed, parser.parserError == nil, hasRoot else {
      throw .malformed(line: max(1, parser.lineNumber))
    }
    let points = trackPoints.isEmpty ? routePoints : trackPoints
    guard !points.isEmpty else { throw firstFault ?? .noPoints }
    // Points without a time get one only if the file has none: an unreadable time is one.
    if hasBadTime, let firstFault, points.allSatisfy({ $0.time == nil }) { throw firstFault }
    return GPXTrack(points: points, leftOut: leftOut, firstFault: firstFault)
  }

  // MARK: XML events

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    guard fault == nil else { return }
    let local = Self.localName(name)
    if path.isEmpty, local != "gpx" { return stop(parser, .notGPX(root: name)) }
    guard path.count < Self.depth else { return stop(parser, .malformed(line: parser.lineNumber)) }
    path.append(local)
    hasRoot = true
    text = nil
    if path == Self.trackPoint || path == Self.routePoint {
      startPoint(parser, attributes)
    } else if let open, wants(local, in: open) {
      text = ""
    }
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    guard let length = text?.utf8.count, length < Self.textBytes else { return }
    text?.append(contentsOf: string.prefix(Self.textBytes))
  }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    guard fault == nil, let local = path.popLast() else { return }
    if let open, path.count < open.depth {
      endPoint(open)
    } else if let text = text.map(Self.trimmed), !text.isEmpty {
      take(text, of: local, parser)
    }
    text = nil
  }

  func parser(
    _ parser: XMLParser, foundInternalEntityDeclarationWithName name: String, value: String?
  ) { stop(parser, .documentType) }

  func parser(
    _ parser: XMLParser, foundExternalEntityDeclarationWithName name: String, publicID: String?,
    systemID: String?
  ) { stop(parser, .documentType) }

  // MARK: Points

  private func startPoint(_ parser: XMLParser, _ attributes: [String: String]) {
    let number = number
    guard number <= maximumPoints else {
      return stop(parser, .tooManyPoints(limit: maximumPoints))
    }
    let line = parser.lineNumber
    do throws(PointFault) {
      let position = try Self.position(attributes)
      open = OpenPoint(
        isOfTrack: path == Self.trackPoint, depth: path.count, line: line, position: position)
    } catch {
      leaveOut(.point(number: number, line: line, reason: error.reason))
    }
  }

  /// The number of the point that begins or is open, from 1.
  private var number: Int { trackPoints.count + routePoints.count + leftOut + 1 }

  private func leaveOut(_ fault: GPXFault) {
    firstFault = firstFault ?? fault
    leftOut += 1
    open = nil
  }

  private func endPoint(_ point: OpenPoint) {
    let taken = GPXTrack.Point(
      position: point.position, accuracyDecimetres: point.accuracyDecimetres, time: point.time)
    if point.isOfTrack { trackPoints.append(taken) } else { routePoints.append(taken) }
    open = nil
  }

  /// Returns whether an element is used. A time is a child of the point; an accuracy may also be in
  /// its extensions.
  private func wants(_ local: String, in point: OpenPoint) -> Bool {
    let below = path.dropFirst(point.depth)
    return below == ["time"] || below == ["accuracy"] || below == ["extensions", "accuracy"]
  }

  private func take(_ text: String, of local: String, _ parser: XMLParser) {
    if local == "accuracy" {
      open?.accuracyDecimetres = Self.decimetres(text)
    } else if let time = Timestamp(rfc3339: text) {
      open?.time = time
    } else {
      hasBadTime = true
      leaveOut(
        .point(
          number: number, line: open?.line ?? parser.lineNumber,
          reason: "has the time \"\(GPXFault.quote(text))\", which is not RFC 3339"))
    }
  }

  private func stop(_ parser: XMLParser, _ reason: GPXFault) {
    fault = fault ?? reason
    parser.abortParsing()
  }

  // MARK: Texts

  private struct PointFault: Error { let reason: String }

  private static func position(
    _ attributes: [String: String]
  ) throws(PointFault) -> Coordinate {
    let latitude = try degrees(attributes, "lat", within: 90)
    let longitude = try degrees(attributes, "lon", within: 180)
    guard let position = Coordinate(latitude: latitude, longitude: longitude) else {
      preconditionFailure("checked degrees out of range: \(latitude), \(longitude)")
    }
    return position
  }

  private static func degrees(
    _ attributes: [String: String], _ name: String, within limit: Double
  ) throws(PointFault) -> Double {
    guard let text = attributes[name].map(trimmed) else {
      throw PointFault(reason: "has no \(name)")
    }
    guard let value = DecimalText.number(text) else {
      throw PointFault(reason: "has the \(name) \"\(GPXFault.quote(text))\", which is not a number")
    }
    guard abs(value) <= limit else {
      throw PointFault(
        reason: "has the \(name) \(GPXFault.quote(text)), which is beyond \(Int(limit)) degrees")
    }
    return value
  }

  /// Converts metres to decimetres, rounded up so that the accuracy is never overstated. Returns
  /// nil if the text is not a length.
  private static func decimetres(_ text: String) -> UInt32? {
    guard let metres = DecimalText.number(text), metres >= 0 else { return nil }
    return UInt32(exactly: (metres * 10).rounded(.up))
  }

  private static func trimmed(_ text: String) -> String {
    text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Returns `trkpt` for `gpx:trkpt`.
  private static func localName(_ name: String) -> String {
    name.split(separator: ":").last.map(String.init) ?? name
  }
}
