internal import MusterModel

/// Extracts the points from the events of an XML file.
///
/// It identifies a point by its whole path (`gpx/trk/trkseg/trkpt`), so that an element of the same
/// name in an extension is ignored.
struct GPXReader {
  private static let trackPoint = ["gpx", "trk", "trkseg", "trkpt"]
  private static let routePoint = ["gpx", "rte", "rtept"]
  /// Longer than any time or number. Longer texts are truncated.
  private static let textBytes = 64

  private let maximumPoints: Int
  private var scanner: XMLScanner
  private var open: OpenPoint?
  private var text: String?
  private var trackPoints: [GPXTrack.Point] = []
  private var routePoints: [GPXTrack.Point] = []
  private var outcome = ImportOutcome()
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

  /// - Parameter text: the file in UTF-8.
  init(_ text: [UInt8], maximumPoints: Int) {
    scanner = XMLScanner(text)
    self.maximumPoints = maximumPoints
  }

  /// MUST be called once.
  mutating func read() throws(GPXFault) -> GPXTrack {
    while let event = try scanner.next() {
      switch event {
      case .start(let name, let attributes): try start(name, attributes)
      case .text(let more):
        if let before = text, before.utf8.count < Self.textBytes {
          text = before + more.prefix(Self.textBytes)
        }
      case .end(let name): try end(name)
      }
    }
    if let (line, what) = scanner.damage { outcome.leaveOut("line \(line)", what) }
    let points = trackPoints.isEmpty ? routePoints : trackPoints
    guard !points.isEmpty else { throw firstFault ?? .noPoints }
    // Points without a time get one only if the file has none: an unreadable time is one.
    if hasBadTime, let firstFault, points.allSatisfy({ $0.time == nil }) { throw firstFault }
    return GPXTrack(points: points, leavingOut: outcome)
  }

  private mutating func start(
    _ name: String, _ attributes: [String: String]
  ) throws(GPXFault) {
    if scanner.path.count == 1, name != "gpx" { throw .notGPX(root: name) }
    text = nil
    if scanner.path == Self.trackPoint || scanner.path == Self.routePoint {
      try startPoint(attributes)
    } else if let open, wants(name, in: open) {
      text = ""
    }
  }

  private mutating func end(_ name: String) throws(GPXFault) {
    if let open, scanner.path.count < open.depth {
      endPoint(open)
    } else if let text = text.map(XMLText.trimmed), !text.isEmpty {
      take(text, of: name)
    }
    text = nil
  }

  // MARK: Points

  private mutating func startPoint(_ attributes: [String: String]) throws(GPXFault) {
    guard number <= maximumPoints else { throw .tooManyPoints(limit: maximumPoints) }
    do throws(PointFault) {
      let position = try Self.position(attributes)
      open = OpenPoint(
        isOfTrack: scanner.path == Self.trackPoint, depth: scanner.path.count, line: scanner.line,
        position: position)
    } catch {
      leaveOut(at: scanner.line, error.reason)
    }
  }

  /// The number of the point that begins or is open, from 1.
  private var number: Int { trackPoints.count + routePoints.count + outcome.leftOut + 1 }

  private mutating func leaveOut(at line: Int, _ reason: String) {
    firstFault = firstFault ?? .point(number: number, line: line, reason: reason)
    outcome.leaveOut("line \(line)", "a point that \(reason)")
    open = nil
  }

  private mutating func endPoint(_ point: OpenPoint) {
    open = nil
    // Its time may be in the part that is missing.
    if scanner.isCutOff {
      hasBadTime = true
      return leaveOut(at: point.line, "has no end")
    }
    let taken = GPXTrack.Point(
      position: point.position, accuracyDecimetres: point.accuracyDecimetres, time: point.time)
    if point.isOfTrack { trackPoints.append(taken) } else { routePoints.append(taken) }
  }

  /// Returns whether an element is used. A time is a child of the point; an accuracy may also be in
  /// its extensions.
  private func wants(_ name: String, in point: OpenPoint) -> Bool {
    let below = scanner.path.dropFirst(point.depth)
    return below == ["time"] || below == ["accuracy"] || below == ["extensions", "accuracy"]
  }

  private mutating func take(_ text: String, of name: String) {
    guard let point = open else { return }
    if name == "accuracy" {
      open?.accuracyDecimetres = Self.decimetres(text)
    } else if let time = Timestamp(rfc3339: text) {
      open?.time = time
    } else {
      hasBadTime = true
      leaveOut(
        at: point.line, "has the time \"\(GPXFault.quote(text))\", which is not RFC 3339")
    }
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
    guard let text = attributes[name].map(XMLText.trimmed) else {
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
}
