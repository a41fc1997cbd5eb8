public import MusterLocation
internal import MusterModel
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
  /// Processes a tracker's position report. On return it is durable.
  public func take(_ report: TrackerReport) async -> TrackerReply {
    await untilPeersAnswered()
    var reply = TrackerReply.done
    do {
      try attempt { replica, now in
        var desk = try desk ?? Self.desk(for: replica, now: now)
        let answer = desk.take(report, now: now)
        self.desk = desk
        switch answer {
        case .taken(let fix, let isLate):
          if isLate { watch.count("late from a phone") }
          return try replica.ingest(fix, ofTracker: report.tracker.description, now: now)
        case .refused(let refusal): watch.count("\(refusal.rawValue), by a phone")
        case .tooFast: reply = .tooFast
        case .tooMany: reply = .tooMany
        }
        return .init()
      }
    } catch let refusal as Refusal {
      return .refused("\(refusal)")
    } catch {
      logger.error("\(error)")
      return .unavailable
    }
    return reply
  }

  private static func desk(for replica: Replica, now: ClockReading) throws -> TrackerDesk {
    TrackerDesk(
      known: try replica.trackerNames().compactMap { TrackerName($0) },
      mostTrackers: Limits.trackersPerDevice, now: now.instant)
  }
}
