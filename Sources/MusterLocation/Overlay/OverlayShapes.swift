internal import Foundation
public import MusterModel

/// The shapes of a file as they are read, with what was left out of it. The readers of all formats
/// add to one, which bounds them.
public struct OverlayShapes: Sendable {
  /// The largest file that is read, and the most bytes of an archive when decompressed.
  public static let maximumBytes = 32 << 20
  /// The most positions of one file.
  public static let maximumPositions = 200_000
  static let tooLarge = OverlayFault(
    "the file has more than \(maximumPositions) positions: split it")
  private static let detailBytes = 4096
  /// The keys by which programs store a name and a description, in the order of preference.
  private static let nameKeys = ["name", "title", "label"]
  private static let detailKeys = ["description", "desc", "comment", "cmt", "notes", "note"]

  /// The shapes, in the order of the file.
  public private(set) var features: [OverlayFeature] = []
  /// How many shapes are used, and which parts of the file are not.
  public private(set) var outcome = ImportOutcome()
  private var positions = 0

  /// Creates an empty list.
  public init() {}

  /// Returns the shapes of a whole file. Throws, with what was left out, if there are none.
  public func checked() throws(OverlayFault) -> OverlayShapes {
    guard features.isEmpty else { return self }
    let omissions = outcome.omissions.prefix(3).map(\.description).joined(separator: "; ")
    throw OverlayFault(
      outcome.leftOut == 0
        ? "the file has no points, lines or areas"
        : "nothing in the file can be shown: \(omissions)")
  }

  // MARK: Adding

  /// Adds a shape; leaves out a line of one position, and an area of fewer than three corners.
  ///
  /// - Parameter place: where it is in the file, such as `line 40`.
  /// - Throws: if the file has too many positions.
  public mutating func add(
    _ shape: OverlayFeature.Shape, name: String = "", details: String = "", at place: String
  ) throws(OverlayFault) {
    let shape = shape.withClosedRings
    switch shape {
    case .line(let line) where line.count < 2:
      return try leaveOut(place, line.isEmpty ? "no coordinates" : "a line of only one position")
    case .polygon(let rings) where rings.isEmpty || rings.contains { $0.count < 4 }:
      return try leaveOut(
        place, rings.allSatisfy(\.isEmpty) ? "no coordinates" : "an area of fewer than 3 corners")
    default: break
    }
    try count(shape.places.count)
    features.append(
      OverlayFeature(
        name: TextRule.line.fitting(Self.shortened(Self.onOneLine(name), to: Limits.lineBytes)),
        details: TextRule.paragraphs.fitting(Self.shortened(details, to: Self.detailBytes)),
        shape: shape, at: place))
    outcome.use()
  }

  /// Counts a part of the file that cannot be used. Throws if there are too many.
  public mutating func leaveOut(
    _ place: @autoclosure () -> String, _ reason: @autoclosure () -> String
  ) throws(OverlayFault) {
    outcome.leaveOut(place(), reason())
    guard outcome.leftOut <= Self.maximumPositions else {
      throw OverlayFault("more than \(Self.maximumPositions) parts of the file cannot be used")
    }
  }

  /// Adds the shapes of a file in the file, such as one of an archive.
  public mutating func add(_ other: OverlayShapes, of file: String) throws(OverlayFault) {
    try count(other.positions)
    for var feature in other.features {
      feature.place = "\(file) \(feature.place)"
      features.append(feature)
    }
    outcome.add(other.outcome, of: file)
  }

  private mutating func count(_ more: Int) throws(OverlayFault) {
    positions += more
    guard positions <= Self.maximumPositions else { throw Self.tooLarge }
  }

  // MARK: Values

  /// Returns a position; nil if it is none. A longitude from 180 to 360 degrees is one east of 180,
  /// as some programs write lines that cross it.
  public static func place(latitude: Double, longitude: Double) -> Coordinate? {
    guard abs(longitude) <= 360 else { return nil }
    let turns = longitude > 180 ? -360.0 : longitude < -180 ? 360 : 0
    return Coordinate(latitude: latitude, longitude: longitude + turns)
  }

  /// Returns the name and the description of a shape among its properties, by the keys that
  /// programs write: `Name`, `title`, `SITE_NAME`.
  public static func texts(in properties: [String: String]) -> (name: String, details: String) {
    let given = properties.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
      .map { (key: $0.key.lowercased(), value: $0.value) }
    func first(_ keys: [String]) -> String? {
      keys.lazy.compactMap { key in given.first { $0.key == key }?.value }.first
    }
    let details = first(detailKeys).map(text(ofHTML:))
    let name = first(nameKeys) ?? given.first { $0.key.contains("name") }?.value
    return (name ?? details ?? "", name == nil ? "" : details ?? "")
  }

  private static func onOneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// Cuts a text between code points, since one character may have any number of them.
  private static func shortened(_ text: String, to bytes: Int) -> String {
    var left = bytes
    let kept = text.unicodeScalars.prefix { scalar in
      left -= UTF8.width(scalar)
      return left >= 0
    }
    return String(String.UnicodeScalarView(kept))
  }

  /// Returns a description without markup, which KML permits in it: a page shows it as text.
  static func text(ofHTML text: String) -> String {
    guard text.contains("<") else {
      return XMLText.trimmed(text.contains("&") ? XMLScanner.decoded(Array(text.utf8)[...]) : text)
    }
    var result: [UInt8] = []
    var rest = Array(text.utf8.prefix(64 * 1024))[...]
    while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
      let tag = rest[start...].dropFirst()
      let name = String(decoding: tag.prefix(6), as: UTF8.self).lowercased()
      guard let first = name.first, first.isLetter || "/!".contains(first) else {
        result += rest[...start]
        rest = tag
        continue
      }
      result += rest[..<start] + [0x20]
      rest = after(">", in: tag)
      // What they contain is no text.
      for hidden in ["style", "script"] where name.hasPrefix(hidden) {
        rest = after(">", in: after("</", in: rest))
      }
    }
    return onOneLine(XMLScanner.decoded((result + rest)[...]))
  }

  private static func after(_ mark: String, in text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let mark = Array(mark.utf8)
    var index = text.startIndex
    while index + mark.count <= text.endIndex {
      if text[index..<(index + mark.count)].elementsEqual(mark) {
        return text[(index + mark.count)...]
      }
      index += 1
    }
    return []
  }
}

extension OverlayFeature.Shape {
  fileprivate var withClosedRings: Self {
    guard case .polygon(let rings) = self else { return self }
    return .polygon(rings.map { $0.first == $0.last ? $0 : $0 + $0.prefix(1) })
  }

  /// All positions, those of holes included.
  public var places: [Coordinate] {
    switch self {
    case .point(let place): [place]
    case .line(let places): places
    case .polygon(let rings): rings.flatMap(\.self)
    }
  }
}
