public import MusterLocation
public import MusterModel
internal import MusterReplica

/// The result of a tracker's report.
public enum TrackerReply: Hashable, Sendable {
  /// Stored, or useless however often it is sent.
  case done
  /// Too early: to be sent again later.
  case tooFast
  /// The limit on trackers is reached.
  case tooMany
  /// Rejected for this reason.
  case refused(String)
  /// The disk failed: to be sent again later.
  case unavailable
}

extension Node {
  /// Returns the trackers that this device records, by name.
  public func trackers() throws -> [String: UserID] {
    try read { replica, _ in try replica.queries.trackers() }
  }

  /// Returns the carrier of a tracker that this device records, whether or not it was received
  /// from.
  public func carrier(named name: String) throws -> UserID {
    try read { replica, _ in UserID(raw: replica.queries.trackerRow(named: name).raw) }
  }

  /// Lists the carrier of a tracker before its first position, so that they can report their
  /// status. Does nothing for one that is listed.
  public func enlistCarrier(named name: String) async throws {
    await untilPeersAnswered()
    try attempt { try $0.enlistTracker(named: name, now: $1) }
  }

  /// Deletes the stored track of a tracker that this device records; its published position stays.
  public func clearTrack(ofTracker name: String) throws {
    try attempt { try $0.clearTrack(ofTracker: name, now: $1) }
  }

  /// Processes a tracker's position report. On return it is durable.
  ///
  /// - Parameter excluded: fences that this tracker is not evaluated against.
  public func take(
    _ report: TrackerReport, without excluded: Set<RowID> = []
  ) async -> TrackerReply {
    await untilPeersAnswered()
    var reply = TrackerReply.done
    var alarm: TrackerAlarm?
    do {
      try attempt { replica, now in
        let answer = try location.take(report, known: replica.queries.trackerNames(), now: now)
        // A call for help counts also if the position does not.
        alarm = location.beginningAlarm(of: report)
        switch answer {
        case .taken(let fix, let isLate):
          if isLate { location.watch.count("late from a phone") }
          return try replica.ingest(
            fix, ofTracker: report.tracker.description, batteryPercent: report.batteryPercent,
            isMoving: report.isMoving, without: excluded, now: now)
        case .refused(let refusal): location.watch.count("\(refusal.rawValue), by a phone")
        case .tooFast: reply = .tooFast
        case .tooMany: reply = .tooMany
        }
        return .init()
      }
      if let alarm {
        try attempt {
          try $0.write(
            PersonRequests.raiseAlarm(ofTracker: report.tracker.description, note: alarm.note),
            now: $1)
        }
      }
    } catch let refusal as Refusal {
      location.forgetAlarm(of: report.tracker)
      return .refused("\(refusal)")
    } catch {
      location.forgetAlarm(of: report.tracker)
      logger.error("\(error)")
      return .unavailable
    }
    return reply
  }
}
