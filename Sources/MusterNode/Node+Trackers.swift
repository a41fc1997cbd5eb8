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
        switch try location.take(report, known: replica.trackerNames(), now: now) {
        case .taken(let fix, let isLate):
          if isLate { location.watch.count("late from a phone") }
          return try replica.ingest(fix, ofTracker: report.tracker.description, now: now)
        case .refused(let refusal): location.watch.count("\(refusal.rawValue), by a phone")
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
}
