internal import MusterCrypto
package import MusterModel
package import MusterReplica
package import MusterSync

/// What a member states under its own name to change, hide, delay or discredit what others wrote.
/// Each statement is permitted: what limits its effect is what it counts for.
extension MaliciousMember {
  // MARK: What only one node is given

  /// Gives the key of an epoch to one node, which no peer does before the epoch is announced.
  package static func give(
    _ key: EpochKey, to replica: inout Replica, now: ClockReading
  ) throws -> Replica.Outcome {
    try ModifiedProgram.change(&replica, now: now) {
      try ModifiedProgram.learn(key, in: &$0, now: now)
    }
  }

  /// Gives records to one node.
  package static func give(
    _ records: [LatestRecord], to replica: inout Replica, now: ClockReading
  ) throws -> Replica.Outcome {
    try ModifiedProgram.change(&replica, now: now) {
      try ModifiedProgram.carry(records, to: &$0, now: now)
    }
  }

  /// Returns a report with an evacuation, as this device's program writes one.
  package static func evacuation(
    titled title: String, by replica: inout Replica
  ) -> [Operation] {
    newRow(
      [(.reportExistence, .mark), (.reportTitle, .text(title)), (.reportToEvacuate, .mark)],
      by: &replica
    ).writes
  }

  private static func newRow(
    _ values: [(field: Field, value: Value)], by replica: inout Replica
  ) -> (id: RowID, writes: [Operation]) {
    let local = ModifiedProgram.identity(of: replica)
    let origin = RowOrigin(
      owner: local.author.user, nonce: ModifiedProgram.draw(by: &replica) { $0.bytes16() })
    let id = RowID(operation: local.operation, origin: origin)
    let writes = values.map {
      Operation.write(Write(row: id, field: $0.field, value: $0.value, origin: origin))
    }
    return (id, writes)
  }

  // MARK: Confirmations and acknowledgements

  /// Confirms what a report shows, also this device's own report.
  package static func confirm(
    _ report: RowID, by replica: inout Replica, now: ClockReading
  ) throws -> Replica.Outcome {
    let content = Hex.decode(try replica.queries.report(report).content) ?? []
    let writes = [
      Write(row: report, field: .reportContentConfirmations, value: .bytes(content)),
      Write(row: report, field: .reportConfirmations, value: .mark),
    ]
    return try author(&replica, unchecked: writes.map(Operation.write), lane: .state, now: now)
  }

  /// Acknowledges an alert with a cause that this device names.
  ///
  /// - Parameter claimed: the time of the frame; nil for that of the clock.
  package static func acknowledge(
    _ alert: AlertID, causedBy dots: [Dot], by replica: inout Replica, claiming claimed: Timestamp?,
    now: ClockReading
  ) throws -> Replica.Outcome {
    let local = ModifiedProgram.identity(of: replica)
    let reply = AlertReply(user: local.author.user, note: "", dots: dots)
    let write = Write(
      row: RowID(operation: local.operation, alert: alert), field: .alertAcknowledgements,
      value: .alertReply(reply))
    let moment = ClockReading(
      instant: now.instant, wall: claimed ?? now.wall, boot: now.boot, entropy: now.entropy)
    return try author(&replica, unchecked: [.write(write)], lane: .urgent, now: moment)
  }

  // MARK: Floods of alerts

  /// Creates trackers whose carriers call for help, each with as many check-ins of a second.
  package static func callByMadeUpTrackers(
    _ replica: inout Replica, _ count: Int, checkIns: Int, now: ClockReading
  ) throws -> Replica.Outcome {
    try ModifiedProgram.change(&replica, now: now) { replica in
      var groups: [[Operation]] = []
      for number in 0..<count {
        let tracker = newRow(
          [
            (.trackerExistence, .mark), (.trackerCallsign, .text("Carrier \(number)")),
            (.trackerSafetyClaim, .claim(.needsHelp, note: "")),
          ], by: &replica)
        groups.append(tracker.writes)
        for _ in 0..<checkIns {
          let timer = newRow(
            [
              (.checkInExistence, .mark), (.checkInTracker, .reference(tracker.id)),
              (.checkInDurationSeconds, .number(1)),
            ], by: &replica)
          groups.append(timer.writes)
        }
      }
      try ModifiedProgram.append(groups, lane: .urgent, to: &replica, now: now)
    }
  }

  // MARK: Names

  /// Takes another's callsign, with an invisible character in it.
  package static func imitate(
    _ callsign: String, by replica: inout Replica, now: ClockReading
  ) throws -> Replica.Outcome {
    let user = ModifiedProgram.identity(of: replica).author.user
    let write = Write(
      row: RowID(raw: user.raw), field: .userCallsign,
      value: .text(callsign.prefix(1) + "\u{200B}" + callsign.dropFirst()))
    return try author(&replica, unchecked: [.write(write)], lane: .state, now: now)
  }
}
