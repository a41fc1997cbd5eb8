package import MusterCrypto
package import MusterModel
internal import MusterStore
package import MusterSync

/// What a modified program can do with the keys of its device. `MusterAttackers` builds attackers
/// for tests and simulations of these functions. They are not public, and no node calls them.
///
/// They omit only the checks of the sending device: what they write is sealed, signed, stored and
/// sent as everything else, and every honest replica validates what it receives.
package enum ModifiedProgram {
  /// Consecutive frames of one log, signed by this device.
  package struct Run {
    package let opening: Opening
    package let frames: [Frame]

    package init(opening: Opening, frames: [Frame]) {
      self.opening = opening
      self.frames = frames
    }
  }

  /// The key of an epoch.
  package typealias WritingKey = (id: EpochID, key: SealingKey)

  /// Performs a piece of work and commits it, as every call does.
  package static func change(
    _ replica: inout Replica, now: ClockReading, _ work: (inout Replica) throws -> Void
  ) throws -> Replica.Outcome {
    try replica.transact(now: now, work)
  }

  // MARK: What it knows

  /// Returns the keys and the certificates of this device.
  package static func identity(of replica: Replica) -> LocalDevice { replica.core.local }

  /// Returns the engine, which knows the heads of all logs.
  package static func engine(of replica: Replica) -> SyncEngine { replica.core.engine }

  /// Returns the epoch that this device writes under; nil without a key.
  package static func writingKey(of replica: Replica) -> WritingKey? { replica.core.currentEpoch }

  /// Returns the key of an epoch, if this device holds it.
  package static func key(of epoch: EpochID, in replica: Replica) -> SealingKey? {
    replica.core.epochKeys.keyring[epoch, by: replica.core.local.certificate.hash]
  }

  /// Returns the generation that the next honest epoch has.
  package static func nextEpochGeneration(in replica: Replica) -> UInt32 {
    replica.core.control.nextEpochGeneration
  }

  /// Returns the control frames that revoke devices.
  package static func revokingFrames(in replica: Replica) -> [FrameHash] {
    replica.core.control.state.revocations.keys.sorted()
  }

  /// Returns the epochs whose announcements name a revocation of a device, for checks that it never
  /// holds their keys.
  package static func epochs(excluding device: DeviceID, in replica: Replica) -> Set<EpochID> {
    let revoking = replica.core.control.state.revocations.filter { _, named in
      named.contains { $0.device == device }
    }
    return Set(
      replica.core.control.epochs.ordered { !Set($0.excludes).isDisjoint(with: revoking.keys) })
  }

  /// Returns the head of this device's log in a lane; nil before its first write.
  package static func writtenHead(in lane: Lane, of replica: Replica) -> Head? {
    replica.core.own.writer.heads[lane]
  }

  /// Returns the heads of other devices' logs in a lane. Logs of this device's earlier incarnations
  /// are not among them.
  package static func headsOfOthers(in lane: Lane, of replica: Replica) throws -> [Head] {
    let certificate = replica.core.local.certificate.hash
    let own = try replica.core.store.logs().filter { $0.opening.certificate == certificate }
      .map(\.head.log)
    return replica.core.engine.heads.filter { $0.lane == lane && !own.contains($0.head.log) }.map(
      \.head)
  }

  // MARK: What it makes

  /// Draws from the generator of this device.
  package static func draw<Drawn>(
    by replica: inout Replica, _ make: (inout DeterministicRandom) -> Drawn
  ) -> Drawn {
    make(&replica.core.own.random)
  }

  /// Returns the order of a record that is about to be signed.
  package static func nextRecordOrder(of replica: inout Replica) -> RecordOrder {
    replica.core.own.nextRecordOrder()
  }

  /// Seals operations into one group of this device's log, under any key.
  package static func seal(
    _ operations: [Operation], lane: Lane, under epoch: WritingKey?, by replica: inout Replica,
    now: ClockReading
  ) throws -> Run {
    let run = try replica.core.own.writer.write(
      EntryGroups([operations]), lane: lane, at: now.wall, stamp: nil, earlier: [], epoch: epoch,
      random: &replica.core.own.random)
    return Run(opening: run.opening, frames: run.frames)
  }

  // MARK: What it stores and sends

  /// Adds the key of an epoch that no other device announced.
  package static func learn(
    _ key: EpochKey, in replica: inout Replica, now: ClockReading
  ) throws {
    try replica.core.learn(key, now: now)
  }

  /// Writes groups of operations into this device's log, and broadcasts them.
  package static func append(
    _ groups: [[Operation]], lane: Lane, to replica: inout Replica, now: ClockReading
  ) throws {
    try replica.core.append(groups, lane: lane, now: now)
  }

  /// Stores runs, then broadcasts them.
  ///
  /// - Parameter isOwn: whether this device has just written them.
  package static func store(
    _ runs: [Run], isOwn: Bool = false, in replica: inout Replica, now: ClockReading
  ) throws {
    for run in runs {
      try replica.core.hold(run.frames, opening: run.opening, isOwn: isOwn, now: now)
    }
    try replica.core.commit(now: now)
    for run in runs { try replica.core.run(.appended(run.opening, run.frames), now: now) }
  }

  /// Stores a branch of a held log.
  package static func attach(_ branch: Run, to replica: inout Replica, now: ClockReading) throws {
    let device = replica.core.local.device
    try BranchAttacher.attach(
      branch.frames, opening: branch.opening, from: device, to: &replica.core, now: now)
  }

  /// Broadcasts frames and records without storing them.
  package static func send(
    _ frames: [Frame], records: [LatestRecord], by replica: inout Replica, now: ClockReading
  ) throws {
    try replica.core.carryOut(
      replica.core.engine.push(unchecked: frames, records: records, now: now), now: now)
  }

  /// Gives records to a device in a bundle, which it validates as all it receives.
  package static func carry(
    _ records: [LatestRecord], to replica: inout Replica, now: ClockReading
  ) throws {
    try replica.core.run(.carried(.records(records)), now: now)
  }

  /// Broadcasts runs of frames without storing them.
  package static func send(_ runs: [Run], by replica: inout Replica, now: ClockReading) throws {
    try replica.core.carryOut(
      replica.core.engine.push(uncheckedRuns: runs.map(\.frames), now: now), now: now)
  }
}
