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

/// A report of a tracker, to be evaluated against some fences.
public struct TrackerUpdate: Hashable, Sendable {
  /// The report.
  public let report: TrackerReport
  /// Fences that the tracker is not evaluated against.
  public let excluded: Set<RowID>

  /// Creates an update.
  public init(_ report: TrackerReport, without excluded: Set<RowID> = []) {
    self.report = report
    self.excluded = excluded
  }
}

/// Position reports of trackers, on their way through the limits of the node to its replica.
public enum TrackerReports {
  /// Processes a tracker's position report, and the alarm that begins with it. On return both are
  /// durable.
  public static func take(
    _ report: TrackerReport, at node: isolated Node
  ) async -> TrackerReply {
    let reply = await take([TrackerUpdate(report)], at: node)[0]
    switch reply {
    case .refused, .unavailable: return reply
    // A call for help counts also if the position does not.
    case .done, .tooFast, .tooMany: break
    }
    guard let alarm = node.location.beginningAlarm(of: report) else { return reply }
    do {
      try node.attempt {
        try $0.write(
          PersonRequests.raiseAlarm(ofTracker: report.tracker.description, note: alarm.note),
          now: $1)
      }
      return reply
    } catch {
      node.location.forgetAlarm(of: report.tracker)
      return answer(to: error, at: node)
    }
  }

  /// Processes a report of the phone of this device's user: a fix of this device, and the user's
  /// call for help. On return the call is durable.
  public static func takeOwn(
    _ report: TrackerReport, at node: isolated Node
  ) async -> TrackerReply {
    await node.take(.reading(.fix(report.fix)), from: .tracker)
    guard let alarm = node.location.beginningOwnAlarm(of: report) else { return .done }
    do {
      try node.attempt { try $0.write(PersonRequests.raiseAlarm(note: alarm.note), now: $1) }
      return .done
    } catch {
      node.location.forgetOwnAlarm()
      return answer(to: error, at: node)
    }
  }

  /// Processes position reports of trackers in their order, with one commit. On return they are
  /// durable. Alarms are not evaluated.
  public static func take(
    _ updates: [TrackerUpdate], at node: isolated Node
  ) async -> [TrackerReply] {
    await node.untilPeersAnswered()
    var replies: [TrackerReply] = []
    var fixes: [(place: Int, fix: TrackedFix)] = []
    for (place, update) in updates.enumerated() {
      let (reply, fix) = admit(update, at: node)
      replies.append(reply)
      if let fix { fixes.append((place, fix)) }
    }
    guard !fixes.isEmpty else { return replies }
    do {
      for (entry, reply) in zip(fixes, try store(fixes.map(\.fix), at: node)) {
        replies[entry.place] = reply
      }
    } catch {
      // What makes one of them fail must not cost those before it; a disk that fails costs all.
      var failure: TrackerReply?
      for entry in fixes {
        do {
          replies[entry.place] = try failure ?? store([entry.fix], at: node)[0]
        } catch {
          let reply = answer(to: error, at: node)
          replies[entry.place] = reply
          if reply == .unavailable { failure = reply }
        }
      }
    }
    return replies
  }

  /// Limits and orders a report. Returns the fix if it is to be stored.
  private static func admit(
    _ update: TrackerUpdate, at node: isolated Node
  ) -> (TrackerReply, TrackedFix?) {
    let report = update.report
    do {
      let (answer, age) = try node.read { replica, now in
        let answer = try node.location.take(
          report, known: replica.queries.trackerNames(), now: now)
        let time = report.fix.sampleTime.map(DeviceTime.stated) ?? .missing
        return (answer, node.location.phones.age(of: report.tracker, time, now: now))
      }
      switch answer {
      case .taken(let fix, let isLate):
        if isLate { node.location.watch.count("late from a phone") }
        let tracked = TrackedFix(
          fix, of: report.tracker.description, batteryPercent: report.batteryPercent,
          isMoving: report.isMoving, without: update.excluded, age: age)
        return (.done, tracked)
      case .refused(let refusal):
        node.location.watch.count("\(refusal.rawValue), by a phone")
        // A position that is not used shows that the phone is in contact; a repeated one does not.
        if refusal != .old {
          try node.attempt {
            try $0.recordContact(
              ofTracker: report.tracker.description, batteryPercent: report.batteryPercent, now: $1)
          }
        }
        return (.done, nil)
      case .tooFast: return (.tooFast, nil)
      case .tooMany: return (.tooMany, nil)
      }
    } catch {
      return (answer(to: error, at: node), nil)
    }
  }

  private static func store(
    _ fixes: [TrackedFix], at node: isolated Node
  ) throws -> [TrackerReply] {
    var refusals: [Refusal?] = []
    try node.attempt { replica, now in
      let stored = try replica.ingest(fixes, now: now)
      refusals = stored.refusals
      return stored.outcome
    }
    return refusals.map { $0.map { .refused("\($0)") } ?? .done }
  }

  private static func answer(to error: any Error, at node: isolated Node) -> TrackerReply {
    if let refusal = error as? Refusal { return .refused("\(refusal)") }
    node.logger.error("\(error)")
    return .unavailable
  }
}
