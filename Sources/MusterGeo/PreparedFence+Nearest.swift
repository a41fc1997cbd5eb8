public import MusterModel

extension PreparedFence {
  /// Returns which of these fences a position is in, or else which is nearest and the way there.
  /// Nil if there is none.
  public static func nearest(
    of fences: [PreparedFence], to position: Coordinate
  ) -> (index: Int, approach: Approach?)? {
    if let index = fences.firstIndex(where: { $0.contains(position) }) { return (index, nil) }
    var nearest: (index: Int, approach: Approach?)?
    for (index, fence) in fences.enumerated() {
      guard let approach = fence.geometry.approach(from: position) else { continue }
      if let known = nearest?.approach, known.distanceMetres <= approach.distanceMetres { continue }
      nearest = (index, approach)
    }
    return nearest
  }
}
