internal import MusterModel
internal import MusterStore
internal import MusterSync

/// What the control plane takes from the store besides control frames.
extension ControlPlane {
  /// Begins with the stored certificates and evidence.
  init(in store: Store, of local: LocalDevice) throws(StoreError) {
    self.init(operation: local.operation, rootKey: local.rootKey, ownChain: local.chain)
    var certificates: [SignedCertificate] = []
    for stored in try store.shownCertificates() {
      certificates.append(try SignedCertificate(stored))
    }
    certificates += try SignedCertificate.proven(in: store) ?? []
    var items: [EvidenceItem] = []
    for stored in try store.evidence() {
      items.append(try EvidenceItem(stored, operation: local.operation))
    }
    restore(certificates, items)
    _ = evaluate()
  }

  // MARK: Strands

  /// A cut depends on cuts of lower ranks only, so that its strands are known after so many rounds.
  static let lineageRounds = 2 * Limits.certificateChain + 2

  /// Updates the trees of strands, and the strands of the frames that cuts name.
  mutating func refreshLineage(
    _ logs: [LogSummary], in store: Store
  ) throws(StoreError) {
    var lineage = Lineage(logs, ends: membership.forkEnds, overflowed: membership.overflowed)
    if lineage.hasForks {
      for head in named() where lineage.isForked(head.log) {
        guard let place = try store.strand(of: head.hash, in: head.log),
          place.sequence == head.sequence
        else { continue }
        lineage.locate(head, in: place.log)
      }
    }
    take(lineage)
  }

  /// Refreshes the lineage after all control frames were added, and evaluates until no cut changes:
  /// the cuts that count determine which frames are located in strands.
  mutating func settleLineage(_ logs: [LogSummary], in store: Store) throws(StoreError) {
    for _ in 0..<Self.lineageRounds {
      let before = named()
      try refreshLineage(logs, in: store)
      _ = evaluate()
      guard hasForks, named() != before else { return }
    }
  }
}
