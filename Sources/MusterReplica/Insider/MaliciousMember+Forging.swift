internal import MusterCrypto
package import MusterModel
internal import MusterStore
internal import MusterSync

/// Actions of a malicious member with real keys, for simulated attackers only. They are not public,
/// and every honest replica rejects their results.
extension MaliciousMember {
  /// Broadcasts a next frame for another device's log, signed with this device's key or unsigned.
  /// Does nothing without another device's log.
  package static func forgeFrame(
    _ replica: inout Replica, isSigned: Bool, now: ClockReading
  ) throws -> Replica.Outcome {
    try replica.transact(now: now) { replica in
      guard let victim = try anotherHead(for: &replica), let epoch = replica.currentEpoch
      else { return }
      let local = replica.local
      let write = Write(
        row: RowID(raw: local.author.user.raw), field: .userSafetyClaim,
        value: .claim(.safe, note: "forged"))
      var frame = Frame.sealed(
        operation: local.operation, log: victim.log, sequence: victim.sequence + 1,
        previous: victim.hash, epoch: epoch.id,
        plaintext: FrameBody(writtenAt: now.wall, contents: .operations([.write(write)]))
          .encoded(
            writesAt: WritePlace(
              operation: local.operation, author: local.author.user,
              sequence: victim.sequence + 1)),
        key: epoch.key, nonce: replica.own.random.nonce24(), signedBy: local.signingKey)
      if !isSigned { frame.signature = nil }
      try push(&replica, [frame], records: [], now: now)
    }
  }

  /// Broadcasts a newer position of another device, signed with this device's key.
  package static func forgePosition(
    _ replica: inout Replica, now: ClockReading
  ) throws -> Replica.Outcome {
    try replica.transact(now: now) { replica in
      let local = replica.local
      let others = try replica.latestRecords().filter {
        $0.kind == .position && $0.certificate != local.certificate.hash
      }
      guard let victim = anyone(of: others, drawing: &replica.own.random),
        let key = replica.epochKeys.keyring[victim.epoch],
        let (report, earlier, stamp) = victim.position(operation: local.operation, key: key)
      else { return }
      var order = victim.order
      order.counter += 1
      let forged = LatestRecord.position(
        report, after: earlier, stamp: stamp, operation: local.operation,
        certificate: victim.certificate, order: order, epoch: victim.epoch, key: key,
        nonce: replica.own.random.nonce24(),
        signedBy: local.signingKey)
      try push(&replica, [], records: [forged], now: now)
    }
  }

  /// Replays recorded records to all peers.
  package static func sendAgain(
    _ replica: inout Replica, _ records: [LatestRecord], now: ClockReading
  ) throws -> Replica.Outcome {
    try replica.transact(now: now) { try push(&$0, [], records: records, now: now) }
  }

  /// Certifies another device for `command`, in this device's own control log.
  package static func certifyAnother(
    _ replica: inout Replica, now: ClockReading
  ) throws -> Replica.Outcome {
    try replica.transact(now: now) { replica in
      let local = replica.local
      let key = replica.own.random.signingKey().publicKey
      let certificate = Certificate(
        operation: local.operation, issuer: local.certificate.hash,
        user: UserID(operation: local.operation, firstDeviceKey: key), signingKey: key,
        agreementKey: replica.own.random.agreementKey().publicKey, role: .command)
      let signed = SignedCertificate(certificate, signedBy: local.signingKey)
      try replica.append([[.certificate(signed)]], lane: .control, now: now)
    }
  }

  /// Signs two next frames of this device's own log: broadcasts one, and then writes the other.
  /// Does nothing before its first write.
  package static func equivocate(
    _ replica: inout Replica, now: ClockReading
  ) throws -> Replica.Outcome {
    try replica.transact(now: now) { replica in
      guard let head = replica.own.writer.heads[.state],
        let epoch = replica.currentEpoch
      else { return }
      let local = replica.local
      let row = RowID(raw: local.author.user.raw)
      func says(_ team: String) -> Operation {
        .write(Write(row: row, field: .userTeam, value: .text(team)))
      }
      let sequence = head.sequence + 1
      let other = Frame.sealed(
        operation: local.operation, log: head.log, sequence: sequence, previous: head.hash,
        epoch: epoch.id,
        plaintext: FrameBody(writtenAt: now.wall, contents: .operations([says("one")]))
          .encoded(
            writesAt: WritePlace(
              operation: local.operation, author: local.author.user, sequence: sequence)),
        key: epoch.key, nonce: replica.own.random.nonce24(), signedBy: local.signingKey)
      try push(&replica, [other], records: [], now: now)
      try replica.append([[says("other")]], lane: .state, now: now)
    }
  }

  /// Writes a report whose id is not the hash of its origin.
  package static func squat(
    _ replica: inout Replica, now: ClockReading
  ) throws -> Replica.Outcome {
    try replica.transact(now: now) { replica in
      let origin = RowOrigin(owner: replica.local.author.user, nonce: replica.own.random.bytes16())
      let row = RowID(raw: replica.own.random.bytes16())
      let writes = [(Field.reportExistence, Value.mark), (.reportTitle, .text("Not mine"))].map {
        Write(row: row, field: $0.0, value: $0.1, origin: origin)
      }
      try replica.append([writes.map(Operation.write)], lane: .state, now: now)
    }
  }

  private static func push(
    _ replica: inout Replica, _ frames: [Frame], records: [LatestRecord], now: ClockReading
  ) throws {
    try replica.carryOut(
      replica.engine.push(unchecked: frames, records: records, now: now), now: now)
  }

  /// Excludes this device's earlier incarnations: its signature there is no forgery.
  private static func anotherHead(for replica: inout Replica) throws -> Head? {
    let certificate = replica.local.certificate.hash
    let own = try replica.store.logs().filter { $0.opening.certificate == certificate }
      .map(\.head.log)
    let heads = replica.engine.heads.filter { $0.lane == .state && !own.contains($0.head.log) }
    return anyone(of: heads.map(\.head), drawing: &replica.own.random)
  }

  private static func anyone<T>(
    of choices: [T], drawing random: inout DeterministicRandom
  ) -> T? {
    guard !choices.isEmpty else { return nil }
    return choices[random.bytes(1).reduce(0) { $0 + Int($1) } % choices.count]
  }
}
