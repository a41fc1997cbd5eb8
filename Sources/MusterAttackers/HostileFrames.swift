internal import MusterCrypto
internal import MusterModel
internal import MusterReplica
internal import MusterSync

/// Frames and operations that only a maliciously modified program makes, each valid by itself.
struct HostileFrames {
  let local: LocalDevice
  let epoch: (id: EpochID, key: SealingKey)?
  let nextGeneration: UInt32
  private(set) var random: DeterministicRandom

  mutating func openedLog(
    lane: Lane, isBare: Bool, now: ClockReading
  ) -> ModifiedProgram.Run {
    let opening = Opening(
      certificate: local.certificate.hash, incarnation: Incarnation(raw: random.bytes16()),
      generation: 1, lane: lane)
    let log = LogID(operation: local.operation, opening: opening)
    var frames = [
      Frame.clear(
        operation: local.operation, log: log, sequence: 0, previous: .none,
        body: opening.encoded(), signedBy: local.signingKey)
    ]
    let body = FrameBody(writtenAt: now.wall, contents: .operations([])).encoded(writesAt: nil)
    if !isBare, lane == .control {
      frames.append(
        .clear(
          operation: local.operation, log: log, sequence: 1, previous: frames[0].hash, body: body,
          signedBy: local.signingKey))
    } else if !isBare, let epoch {
      frames.append(
        .sealed(
          operation: local.operation, log: log, sequence: 1, previous: frames[0].hash,
          epoch: epoch.id, plaintext: body, key: epoch.key, nonce: random.nonce24(),
          signedBy: local.signingKey))
    }
    return ModifiedProgram.Run(opening: opening, frames: frames)
  }

  /// A signed control frame without content.
  func clearFrame(after last: Frame, number: Int, now: ClockReading) -> Frame {
    let writtenAt = Timestamp(milliseconds: now.wall.milliseconds + Int64(number))
    return .clear(
      operation: local.operation, log: last.log, sequence: last.sequence + 1, previous: last.hash,
      body: FrameBody(writtenAt: writtenAt, contents: .operations([])).encoded(writesAt: nil),
      signedBy: local.signingKey)
  }

  mutating func hostile(
    _ kind: MaliciousMember.HostileControl, id: EpochID, next: EpochID, isFirst: Bool
  ) -> Operation {
    switch kind {
    case .chainedEpochs: madeUpEpoch(next, base: isFirst ? nil : id)
    case .oneEpoch: madeUpEpoch(epoch?.id ?? id, base: nil)
    case .basesLater: madeUpEpoch(id, base: next)
    case .certificates:
      .certificate(
        SignedCertificate(
          Certificate(
            operation: local.operation, issuer: local.certificate.hash, user: local.author.user,
            signingKey: random.signingKey().publicKey,
            agreementKey: random.agreementKey().publicKey, role: .command),
          signedBy: local.signingKey))
    case .revocations:
      .revocation(
        Revocation(
          device: DeviceID(raw: random.bytes16()),
          cuts: (0..<12).map { _ in
            Head(log: LogID(raw: random.bytes16()), sequence: 1, hash: madeUpHash())
          }))
    }
  }

  private mutating func madeUpEpoch(_ id: EpochID, base: EpochID?) -> Operation {
    .epoch(
      EpochAnnouncement(
        id: id, generation: nextGeneration, base: base,
        excludes: (0..<20).map { _ in madeUpHash() }.sorted(), sealed: []))
  }

  private mutating func madeUpHash() -> FrameHash {
    FrameHash(raw: Bytes32(prefix: random.bytes16(), suffix: random.bytes16()))
  }
}
