import MusterModel

/// A node's satellite receiver, and the movement that it measures.
///
/// It delivers some fixes a second time, late, as a receiver with a buffer does.
struct PositionSource {
  private var movement: Movement
  private var fixesDelivered = 0
  private var keptBack: Fix?

  /// One fix of this many arrives a second time.
  private static let fixesPerLateOne = 6

  init(_ movement: Movement) { self.movement = movement }

  var canMove: Bool { movement.canMove }

  /// Returns the position at a time, which MUST NOT decrease.
  mutating func place(at time: Instant) -> GroundPoint { movement.place(at: time) }

  /// Returns the fixes of a moment, in order. A node at rest needs no new fix: the location filter
  /// would drop it.
  mutating func fixes(at time: Instant) -> [Fix] {
    let fix = movement.fix(at: time)
    guard movement.isMoving(at: time) || fixesDelivered == 0 else { return [] }
    fixesDelivered += 1
    switch fixesDelivered % Self.fixesPerLateOne {
    case Self.fixesPerLateOne / 2: keptBack = fix
    case 0: if let keptBack { return [fix, keptBack] }
    default: break
    }
    return [fix]
  }
}
