/// A mark that a person drew over a photo. It is never part of the picture: each viewer draws it.
public struct PhotoMark: Codable, Hashable, Sendable {
  /// The photo. A mark of an earlier program has the address of an original here, and is on each
  /// photo with this original.
  public let photo: PhotoID
  /// What is drawn over it.
  public let drawing: PhotoDrawing

  /// Creates a mark. Nothing is validated here: a mark out of range is rejected on write.
  public init(photo: PhotoID, drawing: PhotoDrawing) {
    self.photo = photo
    self.drawing = drawing
  }
}

/// A shape over a picture, whichever it is.
public struct PhotoDrawing: Codable, Hashable, Sendable {
  /// What is drawn.
  public let shape: PhotoMarkShape
  /// Its colour.
  public let colour: PhotoMarkColour
  /// Where, as many as `shape.points` permits.
  public let points: [PhotoPoint]
  /// One line for the shape `text`; empty for the others.
  public let text: String

  /// Creates a drawing. Nothing is validated here.
  public init(
    shape: PhotoMarkShape, colour: PhotoMarkColour, points: [PhotoPoint], text: String = ""
  ) {
    self.shape = shape
    self.colour = colour
    self.points = points
    self.text = text
  }

  /// Whether all replicas accept it.
  public var isWithinLimits: Bool {
    guard shape.points.contains(points.count) else { return false }
    return shape == .text
      ? text.utf8.count <= Limits.photoMarkTextBytes && TextRule.line.accepts(text)
      : text.isEmpty
  }
}

/// A point on a photo: the share of its width from the left and of its height from the top, from 0
/// to 65,535 for the whole.
public struct PhotoPoint: Codable, Hashable, Sendable {
  /// From the left.
  public let x: UInt16
  /// From the top.
  public let y: UInt16

  /// Creates a point.
  public init(x: UInt16, y: UInt16) {
    self.x = x
    self.y = y
  }

  /// Creates a point from shares of the width and the height; those outside the picture become the
  /// nearest edge.
  public init(xShare: Double, yShare: Double) {
    x = Self.units(xShare)
    y = Self.units(yShare)
  }

  /// The share of the width, 0 to 1.
  public var xShare: Double { Double(x) / Double(UInt16.max) }
  /// The share of the height, 0 to 1.
  public var yShare: Double { Double(y) / Double(UInt16.max) }

  private static func units(_ share: Double) -> UInt16 {
    guard share > 0 else { return 0 }
    return UInt16((min(share, 1) * Double(UInt16.max)).rounded())
  }
}

/// What a mark is. Numbers are on the wire and append-only.
public enum PhotoMarkShape: UInt8, Codable, Sendable, NamedCase, Hashable {
  /// From the first point to the second, where its head is.
  case arrow = 1
  /// Around the first point, through the second.
  case circle = 2
  /// Freehand, through all points.
  case line = 3
  /// A text that begins at the point.
  case text = 4

  /// How many points a mark of this shape has.
  public var points: ClosedRange<Int> {
    switch self {
    case .arrow, .circle: 2...2
    case .line: 2...Limits.photoMarkPoints
    case .text: 1...1
    }
  }
}

/// The colour of a mark. Numbers are on the wire and append-only.
public enum PhotoMarkColour: UInt8, Codable, Sendable, NamedCase, Hashable {
  case red = 1
  case yellow = 2
  case white = 3
  case black = 4
}

// MARK: Encoding

extension PhotoMark {
  /// Photo, shape, colour, number of points, each point as x and y, then the text.
  public func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.append(photo)
    writer.append(drawing.shape.rawValue)
    writer.append(drawing.colour.rawValue)
    writer.append(UInt8(clamping: drawing.points.count))
    for point in drawing.points {
      writer.append(point.x)
      writer.append(point.y)
    }
    writer.append(drawing.text)
    return writer.bytes
  }

  /// Reads what `encoded` returned. Throws for an unknown shape or colour, and for a mark that is
  /// not within the limits.
  public init(decoding bytes: [UInt8]) throws(DecodingFault) {
    var reader = ByteReader(bytes)
    let photo = try reader.identifier(PhotoID.self)
    let shape = PhotoMarkShape(rawValue: try reader.integer(UInt8.self))
    let colour = PhotoMarkColour(rawValue: try reader.integer(UInt8.self))
    var points: [PhotoPoint] = []
    for _ in 0..<(try reader.integer(UInt8.self)) {
      let x = try reader.integer(UInt16.self)
      points.append(PhotoPoint(x: x, y: try reader.integer(UInt16.self)))
    }
    let text = try reader.text()
    try reader.expectEnd()
    guard let shape, let colour else { throw .invalid("photo mark") }
    let drawing = PhotoDrawing(shape: shape, colour: colour, points: points, text: text)
    guard drawing.isWithinLimits else { throw .invalid("photo mark out of range") }
    self.init(photo: photo, drawing: drawing)
  }

  /// Whether bytes are a mark that all replicas accept.
  static func accepts(_ bytes: [UInt8]) -> Bool {
    do throws(DecodingFault) {
      _ = try PhotoMark(decoding: bytes)
      return true
    } catch {
      return false
    }
  }
}

/// A mark on a photo, as known to this node.
public struct PhotoMarkSummary: Codable, Hashable, Sendable {
  /// The dot of its write, in hexadecimal: names the mark in commands.
  public var id: String
  /// The mark.
  public var mark: PhotoMark
  /// Who drew it.
  public var authorship: Authorship
  /// The user whose device signed it, and who may remove it as `command` may.
  public var author: UserID
  /// By the author's clock: a label.
  public var drawnAt: Timestamp

  /// Creates a summary.
  public init(
    id: String, mark: PhotoMark, callsign authorship: Authorship, author: UserID,
    drawnAt: Timestamp
  ) {
    self.id = id
    self.mark = mark
    self.authorship = authorship
    self.author = author
    self.drawnAt = drawnAt
  }

  /// The text of `authorship`.
  public var callsign: String { authorship.text }
}
