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
  /// The shape.
  public let shape: Shape

  /// Creates a feature.
  public init(name: String, shape: Shape) {
    self.name = name
    self.shape = shape
  }
}

/// Why a file cannot be shown as an overlay.
public struct OverlayFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// One line with the remedy.
  public let description: String

  /// Creates a fault with its text.
  public init(_ description: String) { self.description = description }
}
