public import MusterModel

/// Detects how long a device has not moved, from its fixes.
///
/// A device has moved if a fix is farther from the anchor than the accuracy of both together, and
/// at least `leastMetres`; the fix is the new anchor then. A more accurate fix nearby replaces the
/// anchor, so that a coarse one does not hide movement for long.
public struct MovementDetector: Sendable {
  /// Receivers that do not move report fixes this far apart.
  public static let leastMetres = 20.0
  /// The limit of usable fixes: a coarser fix shows nothing.
  static let coarsestDecimetres: UInt32 = 10_000
  /// The radius assumed for an unknown one.
  private static let unknownDecimetres: UInt32 = 1000

  private var anchor: (position: Coordinate, decimetres: UInt32)?
  /// The latest time of a movement, in milliseconds of a boot clock; nil before the first fix,
  /// which counts as a movement.
  public private(set) var lastMovement: Int64?

  /// Creates a detector without fixes.
  public init() {}

  /// Continues after a restart.
  ///
  /// - Parameters:
  ///   - fix: the last one before it.
  ///   - lastMovement: the latest time of a movement before it.
  public init(after fix: Fix, lastMovement: Int64) {
    anchor = (fix.position, Self.radius(of: fix))
    self.lastMovement = lastMovement
  }

  /// Takes the newest fix, and returns whether the device has moved.
  ///
  /// - Parameters:
  ///   - isMoving: what the device's own sensor states; nil if it states nothing. Only true has an
  ///     effect: a sensor may miss the movement of a vehicle.
  ///   - time: milliseconds of the boot clock.
  @discardableResult
  public mutating func take(_ fix: Fix, isMoving: Bool? = nil, at time: Int64) -> Bool {
    let radius = Self.radius(of: fix)
    guard let known = anchor, isMoving != true else {
      if radius <= Self.coarsestDecimetres { anchor = (fix.position, radius) }
      lastMovement = time
      return true
    }
    guard radius <= Self.coarsestDecimetres else { return false }
    let distance = Geodesic.distanceMetres(from: known.position, to: fix.position)
    let doubt = Double(known.decimetres + radius) / 10
    if distance > max(doubt, Self.leastMetres) {
      anchor = (fix.position, radius)
      lastMovement = time
      return true
    }
    if radius < known.decimetres { anchor = (fix.position, radius) }
    return false
  }

  /// Returns the whole seconds since the last movement; nil before the first fix.
  public func stillSeconds(at time: Int64) -> UInt32? {
    lastMovement.map { UInt32(clamping: max(0, time - $0) / 1000) }
  }

  private static func radius(of fix: Fix) -> UInt32 {
    fix.accuracyDecimetres ?? unknownDecimetres
  }
}
