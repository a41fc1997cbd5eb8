internal import MusterCrypto
package import MusterModel
package import MusterReplica
internal import MusterSync

/// A state log whose author signs second frames at ever lower sequences. Each of these forks ends
/// what counted before it.
package struct ForkedLog {
  private let opening: Opening
  private let trunk: [Frame]
  private let epoch: ModifiedProgram.WritingKey

  /// The text that frame `number` of the trunk sets as the team of its author's user.
  package static func team(_ number: Int) -> String { "trunk \(number)" }

  /// Writes a log with `length` frames after the first, and broadcasts it. Returns nil if the
  /// replica has no epoch to write under.
  package static func write(
    length: Int, in replica: inout Replica, now: ClockReading
  ) throws -> ForkedLog? {
    guard let epoch = ModifiedProgram.writingKey(of: replica) else { return nil }
    let local = ModifiedProgram.identity(of: replica)
    let opening = Opening(
      certificate: local.certificate.hash,
      incarnation: Incarnation(raw: ModifiedProgram.draw(by: &replica) { $0.bytes16() }),
      generation: 1, lane: .state)
    let first = Frame.clear(
      operation: local.operation, log: LogID(operation: local.operation, opening: opening),
      sequence: 0, previous: .none, body: opening.encoded(), signedBy: local.signingKey)
    var frames = [first]
    for number in 1...length {
      frames.append(
        frame(team(number), after: frames[number - 1], under: epoch, by: &replica, now: now))
    }
    _ = try ModifiedProgram.change(&replica, now: now) { replica in
      try ModifiedProgram.store(
        [ModifiedProgram.Run(opening: opening, frames: frames)], in: &replica, now: now)
    }
    return ForkedLog(opening: opening, trunk: frames, epoch: epoch)
  }

  /// Signs another frame with a sequence of the trunk, stores it, and offers it to peers.
  package func fork(
    at sequence: Int, in replica: inout Replica, now: ClockReading
  ) throws -> Replica.Outcome {
    try ModifiedProgram.change(&replica, now: now) { replica in
      let branch = Self.frame(
        "branch \(sequence)", after: trunk[sequence - 1], under: epoch, by: &replica, now: now)
      try ModifiedProgram.attach(
        ModifiedProgram.Run(opening: opening, frames: [branch]), to: &replica, now: now)
    }
  }

  /// A frame that sets the team of its author's user.
  private static func frame(
    _ team: String, after last: Frame, under epoch: ModifiedProgram.WritingKey,
    by replica: inout Replica, now: ClockReading
  ) -> Frame {
    let local = ModifiedProgram.identity(of: replica)
    var write = Write(
      row: RowID(raw: local.author.user.raw), field: .userTeam, value: .text(team))
    write.takesEarlier = true
    let sequence = last.sequence + 1
    return .sealed(
      operation: local.operation, log: last.log, sequence: sequence, previous: last.hash,
      epoch: epoch.id,
      plaintext: FrameBody(writtenAt: now.wall, contents: .operations([.write(write)])).encoded(
        writesAt: WritePosition(
          operation: local.operation, author: local.author.user, sequence: sequence)),
      key: epoch.key, nonce: ModifiedProgram.draw(by: &replica) { $0.nonce24() },
      signedBy: local.signingKey)
  }
}
