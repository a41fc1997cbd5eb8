internal import MusterModel
internal import MusterSync

/// New epochs.
extension ControlPlane {
  /// The generation of the next epoch.
  var nextEpochGeneration: UInt32 {
    let reach = epochs.reach
    return reach == .max ? .max : reach + 1
  }

  /// Returns a new epoch that excludes every revoked device. If one announcement cannot name all
  /// revocations, the epoch builds on one that excludes some of them, and names as many of the
  /// others as possible.
  func announcement(of id: EpochID, sealed: [SealedEpochKey]) -> EpochAnnouncement {
    var (base, left): (EpochID?, Set<FrameHash>) = (nil, Set(state.revocations.keys))
    if left.count > Limits.excludedRevocations { (base, left) = ledger.base(excluding: left) }
    return EpochAnnouncement(
      id: id, generation: nextEpochGeneration, base: base,
      excludes: Array(left.sorted().prefix(Limits.excludedRevocations)), sealed: sealed)
  }
}
