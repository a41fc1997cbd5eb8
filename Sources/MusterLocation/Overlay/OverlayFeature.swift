public import MusterModel

/// One shape of a file that is shown above the base map.
public struct OverlayFeature: Hashable, Sendable {
  /// The kinds of shape.
  public enum Shape: Hashable, Sendable {
    /// A waypoint.
    case point(Coordinate)
    /// A track, a route or a line, of at least two positions.
    case line([Coordinate])
    /// A closed outline, then its holes.
    case polygon([[Coordinate]])
  }

  /// The name in the file; empty if there is none.
  public let name: String
  /// What the file describes it with, as text without markup; empty if there is nothing.
  public let details: String
  /// The shape. A line or an outline takes the short way from one position to the next, also across
  /// 180 degrees of longitude.
  public let shape: Shape
  /// Where it is in the file, such as `line 40 (Hut)`.
  public internal(set) var place: String

  init(name: String, details: String, shape: Shape, at place: String) {
    self.name = name
    self.details = details
    self.shape = shape
    self.place = place
  }
}

/// Why a file cannot be shown as an overlay.
public struct OverlayFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// One line with the remedy.
  public let description: String

  /// Creates a fault with its text.
  public init(_ description: String) { self.description = description }
}
