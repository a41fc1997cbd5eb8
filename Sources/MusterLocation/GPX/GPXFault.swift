/// The reason why a GPX file cannot be replayed, for the user who chose it.
public enum GPXFault: Error, Hashable, Sendable {
  /// More bytes than `GPXTrack.maximumBytes`.
  case tooLarge(bytes: Int)
  /// More track or route points than `GPXTrack.maximumPoints`.
  case tooManyPoints(limit: Int)
  /// In an encoding that is not read; with the declared encoding, if there is one.
  case notUTF8(declared: String?)
  /// A document type declaration. GPX never has one, and it can be used to exhaust memory.
  case documentType
  /// Not XML: it begins with something else than an element, or ends before one; with the line.
  case malformed(line: Int)
  /// Elements within elements, deeper than any GPX file.
  case tooDeep
  /// XML with another root element.
  case notGPX(root: String)
  /// A point without a usable position or time: its number in the file, from 1, and its line.
  case point(number: Int, line: Int, reason: String)
  /// Neither a track point nor a route point.
  case noPoints
}

extension GPXFault: CustomStringConvertible {
  /// One line.
  public var description: String {
    switch self {
    case .tooLarge(let bytes):
      "the GPX file is too large: \(bytes) bytes, at most \(GPXTrack.maximumBytes)"
    case .tooManyPoints(let limit): "the GPX file has more than \(limit) points"
    case .notUTF8(nil): "the GPX file is not in UTF-8"
    case .notUTF8(let name?):
      "the GPX file is not in UTF-8 but in \(Self.quote(name)): save it as UTF-8"
    case .documentType: "the GPX file has a DOCTYPE, which is not accepted"
    case .malformed(let line): "the GPX file is not well-formed XML at line \(line)"
    case .tooDeep: "the GPX file is nested too deeply"
    case .notGPX(let root): "the file is not GPX: it starts with <\(Self.quote(root))>"
    case .point(let number, let line, let reason):
      "point \(number) of the GPX file (line \(line)) \(reason)"
    case .noPoints: "the GPX file has no track and no route points"
    }
  }

  /// Returns text of the file, sanitized for one line of a terminal.
  static func quote(_ text: String) -> String {
    let shown = text.unicodeScalars.prefix(40).map { scalar in
      (0x20...0x7E).contains(scalar.value) ? String(scalar) : "\u{FFFD}"
    }
    return shown.joined() + (text.unicodeScalars.count > 40 ? "…" : "")
  }
}
