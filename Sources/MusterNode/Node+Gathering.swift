internal import Dispatch
internal import MusterModel
internal import MusterReplica

/// Commands that write rows, alone or in groups: those that arrive during a commit share the next
/// transaction, and their writes share frames and signatures.
///
///     command ─▶ gathered ─▶ turn: alone ─▶ performed as it is
///     command ─▶ gathered ─┘        several ─▶ in one transaction, or, if any fails, one by one
///
/// No command is delayed for a later one: a turn follows the work that is queued already.
extension Node {
  /// Performs a command that writes rows. On return its changes are durable, or nothing has
  /// changed.
  func gather(_ write: @escaping Command.ReplicaWrite) async -> Reply {
    await withCheckedContinuation { answer in
      if writes.add(WriteQueue.QueuedWrite(write: write, answer: answer)) { scheduleTurn() }
    }
  }

  /// Schedules a turn after all work that is queued now, including other commands.
  private func scheduleTurn() {
    executor.queue.async { self.assumeIsolated { $0.performGathered() } }
  }

  private func performGathered() {
    let (turn, hasMore) = writes.takeTurn()
    if hasMore { scheduleTurn() }
    let replies = turn.count == 1 ? nil : together(turn.map(\.write))
    for (index, gathered) in turn.enumerated() {
      gathered.answer.resume(returning: replies?[index] ?? alone(gathered.write))
    }
  }

  /// Performs all writes in one transaction; returns nil if one of them fails, and then nothing has
  /// changed.
  private func together(_ writes: [Command.ReplicaWrite]) -> [Reply]? {
    var replies: [Reply] = []
    do {
      try attempt { replica, now in
        try replica.gather(now: now) { replica in
          for write in writes { replies.append(try write(&replica, now).reply) }
        }
      }
      return replies
    } catch {
      return nil
    }
  }

  /// Performs a write; a failure is the reply.
  func alone(_ write: Command.ReplicaWrite) -> Reply {
    var reply = Reply.done
    do {
      try attempt { replica, now in
        let written = try write(&replica, now)
        reply = written.reply
        return written.outcome
      }
      return reply
    } catch {
      return .refused(error)
    }
  }
}

extension Command {
  /// What a command does with the replica in a transaction.
  typealias ReplicaWrite =
    (inout Replica, ClockReading) throws -> (reply: Reply, outcome: Replica.Outcome)

  /// What a command writes into rows, by the writer of its sender.
  typealias RowWrite =
    (inout RowWriter, ClockReading) throws -> (reply: Reply, outcome: Replica.Outcome)

  /// Whether it appends to this device's logs.
  var appends: Bool {
    switch self {
    case .setPosition, .admit, .revoke, .proposeCouncil, .endorseCouncil, .rotateEpoch, .release:
      true
    case .proximity(let command): command.appends
    default: rowWrite != nil
    }
  }

  /// The row writes of a command that does nothing else: such commands may share a transaction. Nil
  /// for any other command.
  var rowWrite: RowWrite? {
    switch self {
    case .claimSafety, .claimSafetyOf, .relayClaim, .signOff, .signOn, .addPermit, .revokePermit:
      peopleWrite
    case .answerCall: callWrite
    case .startCheckIn, .reportCheckIn: checkInWrite
    case .overrideSafety, .setTeam, .direct, .addAssemblyZone, .closeDirective, .acknowledge,
      .withdrawAcknowledgement, .setProfile, .setSilence:
      commandWrite
    case .raiseUnverifiedCall, .confirmUnverifiedCall, .closeUnverifiedCall: unverifiedCallWrite
    case .addReport, .editReport, .deleteReport, .loginReport, .confirmReport, .commentReport:
      reportWrite
    case .addPhoto, .removePhoto, .markPhoto, .removePhotoMark: photoWrite
    case .addFence(let draft): Self.creating(FenceRequests.add(draft))
    case .editFence(let reference, let changes):
      Self.changing(.fence, reference) { FenceRequests.edit($0, changes) }
    case .setFenceActive(let reference, let isActive):
      Self.changing(.fence, reference) { FenceRequests.setActive($0, isActive) }
    case .deleteFence(let reference):
      Self.changing(.fence, reference) { FenceRequests.delete($0) }
    case .addFenceRule(let reference, let rule):
      Self.changing(.fence, reference) { FenceRequests.addRule(rule, to: $0) }
    case .removeFenceRule(let reference, let rule):
      Self.changing(.fence, reference) { FenceRequests.removeRule(rule, from: $0) }
    case .writeContact(let change):
      { replica, now in
        let (id, outcome) = try replica.write(ContactRequests.write(change), now: now)
        return (.contactWritten(id), outcome)
      }
    case .writeRoster(let change): Self.writing(change)
    case .status, .verify, .users, .setPosition, .track, .devices, .mesh, .reports, .report,
      .photos, .photo, .requestPhoto, .fences, .fence, .directives, .directive, .permits, .checkIns,
      .checkInPin, .setCheckInPins,
      .clearDuress, .unverifiedCalls, .alerts, .acknowledgeAlert, .shelveAlert, .call, .changes,
      .settings, .setPhoneClock, .contacts, .roster, .history, .timeline,
      .events, .invite, .invites, .withdrawInvite, .admit, .revoke, .councils, .proposeCouncil,
      .endorseCouncil,
      .rotateEpoch, .quarantine, .release, .logStates, .bundlePiece, .records, .mergeBundle,
      .writtenThrough, .delivery, .proximity:
      nil
    }
  }

  private static func writing(_ change: RosterWrite) -> RowWrite {
    { replica, now in
      switch change {
      case .add(let entries):
        let (counts, outcome) = try replica.write(RosterRequests.add(entries), now: now)
        return (.rosterWritten(counts), outcome)
      case .arrive(let person, let other):
        return (.done, try replica.write(RosterRequests.arrive(person, as: other), now: now))
      case .expect(let person):
        return (.done, try replica.write(RosterRequests.expect(person), now: now))
      case .remove(let person):
        return (.done, try replica.write(RosterRequests.remove(person), now: now))
      }
    }
  }

  static func creating(_ request: WriteRequest<RowID>) -> RowWrite {
    { replica, now in
      let (id, outcome) = try replica.write(request, now: now)
      return (.created(id), outcome)
    }
  }

  static func changing(
    _ kind: EntityKind, _ reference: String,
    _ request: @escaping (RowID) -> WriteRequest<Void>
  ) -> RowWrite {
    { replica, now in
      let id = try replica.queries.row(kind, named: reference)
      return (.done, try replica.write(request(id), now: now))
    }
  }
}
