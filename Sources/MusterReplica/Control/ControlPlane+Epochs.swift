internal import MusterModel
internal import MusterSync

/// New epochs.
extension ControlPlane {
  /// Whether a held control log lists a certificate.
  func lists(_ certificate: CertificateHash) -> Bool {
    evidence.logs.values.contains { $0.certificates.contains { $0.value.hash == certificate } }
  }

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
