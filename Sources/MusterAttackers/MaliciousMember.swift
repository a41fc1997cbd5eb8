internal import MusterCrypto
package import MusterModel
package import MusterReplica
package import MusterSync

/// Actions of an enrolled device with valid keys that tries to fill the tables of others.
///
/// Unlike the results of `MaliciousMember+Forging`, all of this is signed by the sending device,
/// and each item is valid by itself: the protection is a limit per certificate.
package enum MaliciousMember {
  /// Opens logs in one lane, each with one frame after the opening, unless they are to be empty.
  package static func openLogs(
    _ replica: inout Replica, _ count: Int, lane: Lane, areBare: Bool = false, now: ClockReading
  ) throws -> Replica.Outcome {
    try ModifiedProgram.change(&replica, now: now) { replica in
      var runs: [ModifiedProgram.Run] = []
      for _ in 0..<count {
        runs.append(craft(&replica) { $0.openedLog(lane: lane, isBare: areBare, now: now) })
      }
      try ModifiedProgram.store(runs, in: &replica, now: now)
    }
  }

  /// Opens any number of logs and broadcasts them without storing them.
  package static func floodLogs(
    _ replica: inout Replica, _ count: Int, lane: Lane, now: ClockReading
  ) throws -> Replica.Outcome {
    try ModifiedProgram.change(&replica, now: now) { replica in
      var runs: [ModifiedProgram.Run] = []
      for _ in 0..<count {
        runs.append(craft(&replica) { $0.openedLog(lane: lane, isBare: false, now: now) })
      }
      try ModifiedProgram.send(runs, by: &replica, now: now)
    }
  }

  /// Opens a control log and signs more branches of it than count, each of one frame, from the top
  /// downwards. This device holds them as anybody would, and serves what it holds.
  package static func forkPastBound(
    _ replica: inout Replica, now: ClockReading
  ) throws -> Replica.Outcome {
    try ModifiedProgram.change(&replica, now: now) { replica in
      let run = craft(&replica) { $0.openedLog(lane: .control, isBare: false, now: now) }
      var frames = run.frames
      for number in 0..<Limits.branchesPerLog {
        frames.append(
          craft(&replica) {
            $0.clearFrame(after: frames[frames.count - 1], number: number, now: now)
          })
      }
      try ModifiedProgram.store(
        [ModifiedProgram.Run(opening: run.opening, frames: frames)], in: &replica, now: now)
      for place in frames.indices.dropFirst().dropLast().reversed() {
        for number in 1...2 {
          let branch = craft(&replica) {
            $0.clearFrame(after: frames[place], number: frames.count + number, now: now)
          }
          try ModifiedProgram.attach(
            ModifiedProgram.Run(opening: run.opening, frames: [branch]), to: &replica, now: now)
        }
      }
    }
  }

  /// Writes frames into this device's own state log, each sealed with its own epoch that is not
  /// announced and whose key no other device has.
  package static func sealUnderMadeUpEpochs(
    _ replica: inout Replica, _ count: Int, now: ClockReading
  ) throws -> Replica.Outcome {
    try ModifiedProgram.change(&replica, now: now) { replica in
      for _ in 0..<count {
        let key = ModifiedProgram.draw(by: &replica) { $0.bytes(SealingKey.byteCount) }
        let id = EpochID(operation: ModifiedProgram.identity(of: replica).operation, key: key)
        guard let sealing = SealingKey(bytes: key) else { continue }
        let note = Write(
          row: RowID(raw: ModifiedProgram.identity(of: replica).author.user.raw), field: .userTeam,
          value: .text("x"))
        let run = try ModifiedProgram.seal(
          [.write(note)], lane: .state, under: (id, sealing), by: &replica, now: now)
        try ModifiedProgram.store([run], in: &replica, now: now)
      }
    }
  }

  /// What the announcement of an epoch names that this device makes for itself.
  package enum Announcing: Sendable {
    /// There is no announcement.
    case never
    /// Nothing: it is fulfilled at once.
    case plainly
    /// A revocation that does not exist.
    case excludingNothing
    /// A base that does not exist.
    case buildingOnNothing
  }

  /// Writes an operation under a new epoch of its own, and returns the key.
  package static func write(
    _ write: Write, by replica: inout Replica, announcing: Announcing, now: ClockReading
  ) throws -> (EpochKey, Replica.Outcome) {
    try seal([.write(write)], by: &replica, announcing: announcing, keepsKey: true, now: now)
  }

  /// Writes operations under a new epoch of its own, and returns the key.
  ///
  /// - Parameter keepsKey: whether this device can read them itself.
  package static func seal(
    _ operations: [Operation], lane: Lane = .state, by replica: inout Replica,
    announcing: Announcing, keepsKey: Bool, now: ClockReading
  ) throws -> (EpochKey, Replica.Outcome) {
    let operation = ModifiedProgram.identity(of: replica).operation
    let (bytes, invented) = ModifiedProgram.draw(by: &replica) {
      ($0.bytes(SealingKey.byteCount), $0.bytes(32))
    }
    let key = EpochKey(id: EpochID(operation: operation, key: bytes), key: bytes)
    let outcome = try ModifiedProgram.change(&replica, now: now) { replica in
      guard let sealing = SealingKey(bytes: bytes) else { return }
      if keepsKey { try ModifiedProgram.learn(key, in: &replica, now: now) }
      let announcement = EpochAnnouncement(
        id: key.id, generation: ModifiedProgram.nextEpochGeneration(in: replica),
        base: announcing == .buildingOnNothing
          ? EpochID(operation: operation, key: invented) : nil,
        excludes: announcing == .excludingNothing
          ? Bytes32(invented).map { [FrameHash(raw: $0)] } ?? [] : [],
        sealed: [])
      if announcing != .never {
        try ModifiedProgram.append([[.epoch(announcement)]], lane: .control, to: &replica, now: now)
      }
      let run = try ModifiedProgram.seal(
        operations, lane: lane, under: (key.id, sealing), by: &replica, now: now)
      try ModifiedProgram.store([run], isOwn: keepsKey, in: &replica, now: now)
    }
    return (key, outcome)
  }

  /// Announces an epoch with a chosen generation, and an id with as many leading zero bytes as the
  /// number of tries yields.
  package static func announceEpoch(
    _ replica: inout Replica, generation: UInt32, excludesRevocations: Bool, tries: Int,
    now: ClockReading
  ) throws -> Replica.Outcome {
    try ModifiedProgram.change(&replica, now: now) { replica in
      let operation = ModifiedProgram.identity(of: replica).operation
      let keys = (0..<max(1, tries)).map { _ in
        ModifiedProgram.draw(by: &replica) { $0.bytes(SealingKey.byteCount) }
      }
      let ground = keys.map { (id: EpochID(operation: operation, key: $0), key: $0) }
        .min { $0.id < $1.id }
      guard let ground else { return }
      let excludes = excludesRevocations ? ModifiedProgram.revokingFrames(in: replica) : []
      try ModifiedProgram.learn(EpochKey(id: ground.id, key: ground.key), in: &replica, now: now)
      let announcement = EpochAnnouncement(
        id: ground.id, generation: generation, base: nil,
        excludes: Array(excludes.prefix(Limits.excludedRevocations)), sealed: [])
      try ModifiedProgram.append([[.epoch(announcement)]], lane: .control, to: &replica, now: now)
    }
  }

  /// Control frames that cost others processor time.
  package enum HostileControl: String, CaseIterable, Sendable {
    /// Each epoch builds on the one before, and excludes revocations that do not exist.
    case chainedEpochs
    /// The epoch in use is announced again and again.
    case oneEpoch
    /// Each epoch builds on one that is announced after it.
    case basesLater
    case certificates
    /// Of devices that do not exist.
    case revocations
  }

  /// Writes operations into this device's own control log, whether they count or not.
  package static func floodControl(
    _ replica: inout Replica, _ kind: HostileControl, count: Int, now: ClockReading
  ) throws -> Replica.Outcome {
    try ModifiedProgram.change(&replica, now: now) { replica in
      let ids = (0...count).map { _ in
        EpochID(raw: ModifiedProgram.draw(by: &replica) { $0.bytes16() })
      }
      let groups = (0..<count).map { number in
        craft(&replica) {
          [$0.hostile(kind, id: ids[number], next: ids[number + 1], isFirst: number == 0)]
        }
      }
      // Each in a frame of its own.
      var runs: [ModifiedProgram.Run] = []
      for group in groups {
        runs.append(
          try ModifiedProgram.seal(
            group, lane: .control, under: ModifiedProgram.writingKey(of: replica), by: &replica,
            now: now))
      }
      let run = ModifiedProgram.Run(opening: runs[0].opening, frames: runs.flatMap(\.frames))
      try ModifiedProgram.store([run], isOwn: true, in: &replica, now: now)
    }
  }

  /// Revokes a device by this device's rank, though it is a member of a council, or a senior.
  package static func revokeByRank(
    _ replica: inout Replica, _ device: DeviceID, now: ClockReading
  ) throws -> Replica.Outcome {
    try ModifiedProgram.change(&replica, now: now) { replica in
      let revocation = Revocation(device: device, cuts: [], keeps: [])
      try ModifiedProgram.append(
        [[.revocation(revocation)]], lane: .control, to: &replica, now: now)
    }
  }

  /// Signs receipts for logs that do not exist; they count if this device is a commander.
  package static func receiptMadeUpLogs(
    _ replica: inout Replica, _ count: Int, now: ClockReading
  ) throws -> Replica.Outcome {
    try fill(&replica, count, now: now) { replica in
      let log = LogID(raw: ModifiedProgram.draw(by: &replica) { $0.bytes16() })
      return .receipt(
        Receipt(log: log, head: nil), operation: ModifiedProgram.identity(of: replica).operation,
        certificate: ModifiedProgram.identity(of: replica).certificate.hash,
        order: ModifiedProgram.nextRecordOrder(of: &replica),
        signedBy: ModifiedProgram.identity(of: replica).signingKey)
    }
  }

  /// Returns this device's signed receipts for logs that it does not hold.
  package static func receipts(
    _ replica: inout Replica, for heads: [Head]
  ) -> [LatestRecord] {
    heads.map { head in
      .receipt(
        Receipt(log: head.log, head: head),
        operation: ModifiedProgram.identity(of: replica).operation,
        certificate: ModifiedProgram.identity(of: replica).certificate.hash,
        order: ModifiedProgram.nextRecordOrder(of: &replica),
        signedBy: ModifiedProgram.identity(of: replica).signingKey)
    }
  }

  /// Publishes a position of trackers that do not exist.
  package static func trackMadeUpPhones(
    _ replica: inout Replica, _ count: Int, at position: Coordinate, now: ClockReading
  ) throws -> Replica.Outcome {
    guard let epoch = ModifiedProgram.writingKey(of: replica) else { return Replica.Outcome() }
    let report = PositionReport(
      fix: Fix(position: position, sampleTime: now.wall), reportedAt: now.wall)
    return try fill(&replica, count, now: now) { replica in
      .position(
        report, of: ModifiedProgram.draw(by: &replica) { $0.bytes16() }, stamp: nil,
        operation: ModifiedProgram.identity(of: replica).operation,
        certificate: ModifiedProgram.identity(of: replica).certificate.hash,
        order: ModifiedProgram.nextRecordOrder(of: &replica),
        epoch: epoch.id, key: epoch.key, nonce: ModifiedProgram.draw(by: &replica) { $0.nonce24() },
        signedBy: ModifiedProgram.identity(of: replica).signingKey)
    }
  }

  /// Broadcasts records without storing them.
  private static func fill(
    _ replica: inout Replica, _ count: Int, now: ClockReading,
    _ record: (inout Replica) -> LatestRecord
  ) throws -> Replica.Outcome {
    try ModifiedProgram.change(&replica, now: now) { replica in
      let records = (0..<count).map { _ in record(&replica) }
      try ModifiedProgram.send([], records: records, by: &replica, now: now)
    }
  }

  /// Makes something with this device's keys, drawing from its generator.
  private static func craft<Made>(
    _ replica: inout Replica, _ make: (inout HostileFrames) -> Made
  ) -> Made {
    var frames = HostileFrames(
      local: ModifiedProgram.identity(of: replica), epoch: ModifiedProgram.writingKey(of: replica),
      nextGeneration: ModifiedProgram.nextEpochGeneration(in: replica),
      random: ModifiedProgram.draw(by: &replica) { $0 })
    defer { ModifiedProgram.draw(by: &replica) { $0 = frames.random } }
    return make(&frames)
  }
}
