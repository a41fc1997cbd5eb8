internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

extension ControlPlane {
  /// Returns the roster for the engine.
  func roster(in store: Store) throws(StoreError) -> Roster {
    guard !countsEverything else { return roster() }
    // Frames of a log that are still to arrive count up to its cut-off too.
    var parts = state.cuts.ends.mapValues { CountedPart(end: $0, head: nil) }
    let (certificates, ends) = state.controlEnds
    var ofControl = ControlParts(
      certificates: certificates, parts: ends.mapValues { CountedPart(end: $0, head: nil) })
    for log in forkedInVain {
      parts[log] = nil
      ofControl.parts[log] = nil
    }
    for log in try store.logs() {
      let part = try part(of: log, in: store)
      if log.opening.lane == .control {
        ofControl.parts[log.head.log] = part
      } else if let part {
        parts[log.head.log] = part
      }
    }
    return roster(parts, control: ofControl)
  }

  private func part(of log: LogSummary, in store: Store) throws(StoreError) -> CountedPart? {
    guard let bound = bound(of: log) else { return nil }
    guard let end = bound.end else { return .nothing }
    guard end < log.head.sequence,
      let hash = try store.hash(of: FramePosition(log: log.head.log, sequence: end))
    else { return CountedPart(end: end, head: nil) }
    return CountedPart(
      end: end, head: Head(log: log.head.log, sequence: end, hash: hash))
  }

  /// Whether a user has a certified device that is not revoked.
  func hasDevice(of user: UserID) -> Bool {
    state.admitted.values.map(\.signed.certificate.author)
      .contains { $0.user == user && !isRevoked($0.device) }
  }

  /// Whether a user has a certified device, revoked or not.
  func hasCertified(_ user: UserID) -> Bool {
    state.admitted.values.contains { $0.signed.certificate.user == user }
  }

  /// Returns how many devices of a user are revoked.
  func revokedDeviceCount(of user: UserID) -> Int {
    state.admitted.values.map(\.signed.certificate.author)
      .count { $0.user == user && isRevoked($0.device) }
  }

  /// Seals the key to command devices, so that it survives its author.
  func sealed(
    _ key: [UInt8], drawing random: inout DeterministicRandom
  ) -> [SealedEpochKey] {
    var sealed: [SealedEpochKey] = []
    for commander in commanders.prefix(Limits.sealedEpochKeys) {
      let certificate = commander.certificate
      let box = SealedBox.seal(
        key, to: certificate.agreementKey, drawn: random.agreementKey())
      if let box { sealed.append(SealedEpochKey(device: certificate.device, box: box)) }
    }
    return sealed
  }
}
