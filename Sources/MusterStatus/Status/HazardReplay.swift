internal import MusterModel

/// Whether the fixes of a device show it in a hazard zone.
///
/// A fix inside or close to a zone shows danger. A later one ends it if it is fine, or if its whole
/// circle is outside; of a revoked device none does. Age ends nothing.
enum HazardReplay {
  /// The zones that the fixes show danger of.
  ///
  /// - Parameter fixes: usable ones, the newest last.
  static func zones(
    _ fixes: some BidirectionalCollection<FixEvidence>, isRevoked: Bool, in scene: StatusScene
  ) -> [StatusZone] {
    scene.hazards.filter { zone in
      for fix in fixes.reversed() {
        if zone.isDanger(at: fix) { return true }
        if !isRevoked, zone.isCleared(by: fix) { return false }
      }
      return false
    }
  }
}
