public import MusterModel
internal import MusterReplica

/// Reads beside the node's queue (decision 0109).
///
///     read ─▶ place ─▶ node's queue: statuses, copy of the replica, read transaction
///                          └─▶ another thread: read model ─▶ reply
///
/// What a read costs on the queue does not depend on its answer: a write, a call for help or a
/// datagram waits for none.
extension Node {
  /// Reads a copy of the replica on another thread, as it is between two calls of the queue.
  nonisolated func readSnapshot<Answer: Sendable>(
    _ body: @escaping @Sendable (inout Replica, ClockReading) throws -> Answer
  ) async throws -> Answer {
    await snapshots.enter()
    defer { snapshots.leave() }
    do {
      // Queued directly: the answer does not pass the queue again.
      return try await withCheckedThrowingContinuation { answer in
        executor.queue.async {
          self.assumeIsolated { node in
            node.beginSnapshot { copy, now in
              answer.resume(
                with: Result {
                  var copy = try copy.get()
                  return try body(&copy, now)
                })
            }
          }
        }
      }
    } catch {
      if ReplicaDatabase.damage(in: error) != nil { await repairIfDamaged(error) }
      throw error
    }
  }

  /// Takes the snapshot of this moment.
  private func beginSnapshot(
    _ body: @escaping @Sendable (Result<Replica, any Error>, ClockReading) -> Void
  ) {
    let free = diskFreeBytes()
    do {
      try read { replica, now in
        describeHome(in: &replica, freeBytes: free, now: now)
        try replica.withSnapshot(now: now) { body($0, now) }
      }
    } catch {
      body(.failure(error), SystemClock.reading)
    }
  }

  /// The reply to a command that reads a snapshot.
  nonisolated func snapshotReply(to command: Command) async -> Reply {
    do {
      let (reply, dates) = try await readSnapshot { try command.datedReading(from: &$0, now: $1) }
      if !dates.isEmpty { try await read { replica, _ in replica.keep(dates) } }
      if case .users(let users) = reply { return .users(try await withPhones(users)) }
      return reply
    } catch {
      return .refused(error)
    }
  }

  /// Verifies the whole log, which takes seconds, and notes what the next start repairs.
  nonisolated func verify() async -> Reply {
    do {
      let (report, correction) = try await readSnapshot { replica, _ in try replica.examine() }
      try await read { replica, _ in try replica.commit(correction) }
      return .verification(report)
    } catch {
      return .refused(error)
    }
  }

  // MARK: Single reads

  /// Returns the active fences that contain a position, by name.
  public nonisolated func fences(around place: Coordinate) async throws -> [FenceSummary] {
    try await readSnapshot { replica, _ in try replica.queries.fences(around: place) }
  }

  /// Returns the track of a user as known here, by sample time: published segments, and for this
  /// node's own user the stored fixes. The user is named by callsign or id.
  ///
  /// - Parameter limit: the number of newest fixes.
  public nonisolated func track(of user: String, limit: Int) async throws -> [Fix] {
    try await readSnapshot { replica, now in
      let user = try replica.statuses(now: now).user(named: user)
      return try replica.queries.track(of: user, limit: limit)
    }
  }

  /// Returns the track of a user, named by the whole id, as `track(of:limit:)`.
  public nonisolated func track(of user: UserID, limit: Int) async throws -> [Fix] {
    try await readSnapshot { replica, _ in try replica.queries.track(of: user, limit: limit) }
  }

  /// Returns decrypted bytes of a photo of a report. Throws `Refusal` if some of them are not here.
  public nonisolated func photoBytes(
    _ photo: PhotoID, of report: String, kind: BlobKind, range: Range<Int>
  ) async throws -> [UInt8] {
    try await readSnapshot { replica, _ in
      let id = try replica.queries.row(.report, named: report)
      return try replica.queries.photoBytes(photo, of: id, kind: kind, range: range)
    }
  }
}
