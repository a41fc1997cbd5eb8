internal import MusterCrypto
package import MusterModel
package import MusterReplica
package import MusterSync

/// Actions of a malicious member with real keys. Every honest replica rejects their results.
extension MaliciousMember {
  /// Writes any entries, correctly sealed and signed, as a maliciously modified program would.
  package static func author(
    _ replica: inout Replica, unchecked operations: [Operation], lane: Lane, now: ClockReading
  ) throws -> Replica.Outcome {
    try ModifiedProgram.change(&replica, now: now) {
      try ModifiedProgram.append(operations.map { [$0] }, lane: lane, to: &$0, now: now)
    }
  }

  /// Broadcasts a next frame for another device's log, signed with this device's key or unsigned.
  /// Does nothing without another device's log.
  package static func forgeFrame(
    _ replica: inout Replica, isSigned: Bool, now: ClockReading
  ) throws -> Replica.Outcome {
    try ModifiedProgram.change(&replica, now: now) { replica in
      guard let victim = try anotherHead(for: &replica),
        let epoch = ModifiedProgram.writingKey(of: replica)
      else { return }
      let local = ModifiedProgram.identity(of: replica)
      let write = Write(
        row: RowID(raw: local.author.user.raw), field: .userSafetyClaim,
        value: .claim(.safe, note: "forged"))
      var frame = Frame.sealed(
        operation: local.operation, log: victim.log, sequence: victim.sequence + 1,
        previous: victim.hash, epoch: epoch.id,
        plaintext: FrameBody(writtenAt: now.wall, contents: .operations([.write(write)]))
          .encoded(
            writesAt: WritePosition(
              operation: local.operation, author: local.author.user,
              sequence: victim.sequence + 1)),
        key: epoch.key, nonce: ModifiedProgram.draw(by: &replica) { $0.nonce24() },
        signedBy: local.signingKey)
      if !isSigned { frame.signature = nil }
      try ModifiedProgram.send([frame], records: [], by: &replica, now: now)
    }
  }

  /// Broadcasts a newer position of another device, signed with this device's key.
  package static func forgePosition(
    _ replica: inout Replica, now: ClockReading
  ) throws -> Replica.Outcome {
    try ModifiedProgram.change(&replica, now: now) { replica in
      let local = ModifiedProgram.identity(of: replica)
      let others = try replica.queries.latestRecords().filter {
        $0.kind == .position && $0.certificate != local.certificate.hash
      }
      guard let victim = ModifiedProgram.draw(by: &replica, { anyone(of: others, drawing: &$0) }),
        let key = ModifiedProgram.key(of: victim.epoch, in: replica),
        let (report, _, earlier, stamp) = victim.position(operation: local.operation, key: key)
      else { return }
      var order = victim.order
      order.counter += 1
      let forged = LatestRecord.position(
        report, after: earlier, stamp: stamp, operation: local.operation,
        certificate: victim.certificate, order: order, epoch: victim.epoch, key: key,
        nonce: ModifiedProgram.draw(by: &replica) { $0.nonce24() },
        signedBy: local.signingKey)
      try ModifiedProgram.send([], records: [forged], by: &replica, now: now)
    }
  }

  /// Returns positions of this device with one order, each at another place.
  package static func twins(
    _ replica: inout Replica, at places: [Coordinate], now: ClockReading
  ) -> [LatestRecord] {
    let local = ModifiedProgram.identity(of: replica)
    guard let epoch = ModifiedProgram.writingKey(of: replica) else { return [] }
    let order = ModifiedProgram.nextRecordOrder(of: &replica)
    return places.map { place in
      let fix = Fix(position: place, accuracyDecimetres: 100, sampleTime: now.wall)
      return LatestRecord.position(
        PositionReport(fix: fix, reportedAt: now.wall), stamp: nil,
        operation: local.operation, certificate: local.certificate.hash, order: order,
        epoch: epoch.id, key: epoch.key,
        nonce: ModifiedProgram.draw(by: &replica) { $0.nonce24() }, signedBy: local.signingKey)
    }
  }

  /// Replays recorded records to all peers.
  package static func sendAgain(
    _ replica: inout Replica, _ records: [LatestRecord], now: ClockReading
  ) throws -> Replica.Outcome {
    try ModifiedProgram.change(&replica, now: now) {
      try ModifiedProgram.send([], records: records, by: &$0, now: now)
    }
  }

  /// Certifies another device for `command`, in this device's own control log.
  package static func certifyAnother(
    _ replica: inout Replica, now: ClockReading
  ) throws -> Replica.Outcome {
    try ModifiedProgram.change(&replica, now: now) { replica in
      let local = ModifiedProgram.identity(of: replica)
      let key = ModifiedProgram.draw(by: &replica) { $0.signingKey() }.publicKey
      let certificate = Certificate(
        operation: local.operation, issuer: local.certificate.hash,
        user: UserID(operation: local.operation, firstDeviceKey: key), signingKey: key,
        agreementKey: ModifiedProgram.draw(by: &replica) { $0.agreementKey() }.publicKey,
        role: .command)
      let signed = SignedCertificate(certificate, signedBy: local.signingKey)
      try ModifiedProgram.append([[.certificate(signed)]], lane: .control, to: &replica, now: now)
    }
  }

  /// Signs two next frames of this device's own log: broadcasts one, and then writes the other.
  /// Does nothing before its first write.
  package static func equivocate(
    _ replica: inout Replica, now: ClockReading
  ) throws -> Replica.Outcome {
    try ModifiedProgram.change(&replica, now: now) { replica in
      guard let head = ModifiedProgram.writtenHead(in: .state, of: replica),
        let epoch = ModifiedProgram.writingKey(of: replica)
      else { return }
      let local = ModifiedProgram.identity(of: replica)
      let row = RowID(raw: local.author.user.raw)
      func sets(_ team: String) -> Operation {
        .write(Write(row: row, field: .userTeam, value: .text(team)))
      }
      let sequence = head.sequence + 1
      let other = Frame.sealed(
        operation: local.operation, log: head.log, sequence: sequence, previous: head.hash,
        epoch: epoch.id,
        plaintext: FrameBody(writtenAt: now.wall, contents: .operations([sets("one")]))
          .encoded(
            writesAt: WritePosition(
              operation: local.operation, author: local.author.user, sequence: sequence)),
        key: epoch.key, nonce: ModifiedProgram.draw(by: &replica) { $0.nonce24() },
        signedBy: local.signingKey)
      try ModifiedProgram.send([other], records: [], by: &replica, now: now)
      try ModifiedProgram.append([[sets("other")]], lane: .state, to: &replica, now: now)
    }
  }

  /// Starts timers of a second for people with invented ids: for users as command, for carriers of
  /// trackers of its own as a member.
  package static func nameInventedPeople(
    _ replica: inout Replica, _ count: Int, asTrackers: Bool, now: ClockReading
  ) throws -> Replica.Outcome {
    try ModifiedProgram.change(&replica, now: now) { replica in
      let local = ModifiedProgram.identity(of: replica)
      var groups: [[Operation]] = []
      for _ in 0..<count {
        let invented = ModifiedProgram.draw(by: &replica) { $0.bytes16() }
        let origin = RowOrigin(
          owner: asTrackers ? local.author.user : UserID(raw: invented),
          nonce: ModifiedProgram.draw(by: &replica) { $0.bytes16() })
        var values = [(Field.checkInExistence, Value.mark), (.checkInDurationSeconds, .number(1))]
        if asTrackers { values.append((.checkInTracker, .reference(RowID(raw: invented)))) }
        let row = RowID(operation: local.operation, origin: origin)
        groups.append(
          values.map { .write(Write(row: row, field: $0.0, value: $0.1, origin: origin)) })
      }
      try ModifiedProgram.append(groups, lane: .urgent, to: &replica, now: now)
    }
  }

  /// Writes a report whose id is not the hash of its origin.
  package static func squat(
    _ replica: inout Replica, now: ClockReading
  ) throws -> Replica.Outcome {
    try ModifiedProgram.change(&replica, now: now) { replica in
      let origin = RowOrigin(
        owner: ModifiedProgram.identity(of: replica).author.user,
        nonce: ModifiedProgram.draw(by: &replica) { $0.bytes16() })
      let row = RowID(raw: ModifiedProgram.draw(by: &replica) { $0.bytes16() })
      let writes = [(Field.reportExistence, Value.mark), (.reportTitle, .text("Not mine"))].map {
        Write(row: row, field: $0.0, value: $0.1, origin: origin)
      }
      try ModifiedProgram.append(
        [writes.map(Operation.write)], lane: .state, to: &replica, now: now)
    }
  }

  private static func anotherHead(for replica: inout Replica) throws -> Head? {
    let heads = try ModifiedProgram.headsOfOthers(in: .state, of: replica)
    return ModifiedProgram.draw(by: &replica) { anyone(of: heads, drawing: &$0) }
  }

  private static func anyone<T>(
    of choices: [T], drawing random: inout DeterministicRandom
  ) -> T? {
    guard !choices.isEmpty else { return nil }
    return choices[random.bytes(1).reduce(0) { $0 + Int($1) } % choices.count]
  }
}
