internal import MusterModel

/// Determines whether the fixes of a device show it in a hazard zone.
///
/// A fix inside or close to a zone shows danger. A later fix clears it if it is fine, or if its
/// whole circle is outside; fixes of a revoked device never clear it. Age never clears it.
enum HazardReplay {
  /// Returns the hazard zones in which the fixes show the device.
  ///
  /// - Parameter fixes: usable ones, the newest last.
  static func zones(
    _ fixes: some BidirectionalCollection<FixEvidence>, isRevoked: Bool, in scene: StatusScene
  ) -> [StatusZone] {
    scene.hazards.filter { newest(fixes, isRevoked: isRevoked, in: $0) != nil }
  }

  /// Returns the newest fix that shows the device in a hazard zone, unless a later one clears it.
  static func newest(
    _ fixes: some BidirectionalCollection<FixEvidence>, isRevoked: Bool, in zone: StatusZone
  ) -> RecordOrder? {
    for fix in fixes.reversed() {
      if zone.isDanger(at: fix) { return fix.order }
      if !isRevoked, zone.isCleared(by: fix) { return nil }
    }
    return nil
  }
}
