public import MusterModel
public import MusterReplica

/// The event streams of a node.
extension Node {
  /// Streams the active alerts, the most severe first: now, and after each alert that is raised,
  /// cleared or acknowledged. A slow reader receives only the newest list, which is complete.
  public func standingAlerts() -> AsyncStream<[Alert]> {
    var standing: [Alert]?
    do {
      let free = diskFreeBytes()
      standing = try read { replica, now in
        describeHome(in: &replica, freeBytes: free, now: now)
        return try replica.alerts(now: now)
      }
    } catch {
      logger.error("\(error)")
    }
    return changeNotifier.alerts.add(beginningWith: standing)
  }

  /// Returns the active alerts as subscribers received them: each keeps its first time, also over
  /// restarts. With the emergency contacts as of now.
  public func raisedAlerts() throws -> [Alert] {
    try read { try $0.raisedAlerts(now: $1) }
  }

  /// Streams the change counts, now and after each change. A slow reader receives only the newest
  /// counts, which are complete.
  public func changes() -> AsyncStream<ChangeCounts> {
    changeNotifier.counts.add(beginningWith: changeNotifier.log.counts)
  }

  /// Returns the changes of a data set that a reader at this count has not seen.
  public func missedChanges(of dataset: Dataset, since count: UInt64) -> ChangeLog.MissedChanges {
    changeNotifier.log.missedChanges(of: dataset, since: count)
  }

  /// Informs the replica of the disk, the sources of this machine's place, and the webhooks.
  ///
  /// - Parameter free: read before, since the replica is borrowed here.
  func describeHome(in replica: inout Replica, freeBytes free: UInt64?, now: ClockReading) {
    replica.home.freeBytes = free
    replica.home.positionProblem = location.problem(now: now.instant)
    replica.home.isPhoneTableFull = location.isPhoneTableFull
    replica.home.stoppedWebhooks = changeNotifier.stoppedWebhooks
  }

  /// Reports all webhooks that have stopped: the next review, within ten seconds, raises an alert
  /// for each, and clears those of the others.
  public func reportStopped(_ webhooks: [StoppedWebhook]) { changeNotifier.note(webhooks) }

  /// Reviews the alerts when due. Only a running node does; any other computes them on request.
  func reviewAlertsIfDue() {
    let start = SystemClock.instant
    guard start >= changeNotifier.reviewDue else { return }
    let free = diskFreeBytes()
    if let free { act { replica, now in try replica.noteFreeBytes(free, now: now) } }
    var change: Instant?
    act { replica, now in
      describeHome(in: &replica, freeBytes: free, now: now)
      let outcome = try replica.reviewAlerts(now: now)
      change = replica.nextStatusChange(now: now)
      if !outcome.alertChanges.isEmpty { notify(outcome, try replica.alerts(now: now)) }
      return outcome
    }
    act { try $0.keepHistory(now: $1) }
    changeNotifier.reviewed(from: start, to: SystemClock.instant, nextChange: change)
    armTimer()
  }

  /// Announces the progress of photos when due, as changes of their reports.
  func announcePhotosIfDue() {
    let start = SystemClock.instant
    let grown = changeNotifier.takeGrownPhotos(now: start)
    guard !grown.isEmpty else { return }
    act { replica, _ in
      var outcome = Replica.Outcome()
      outcome.changedRows = try replica.queries.reports(showing: grown)
      return outcome
    }
    changeNotifier.announcedPhotos(from: start, to: SystemClock.instant)
    armTimer()
  }

  /// Changes an alert. On return the change is durable.
  func changeAlert(_ change: Command.AlertChanging) throws -> Reply {
    try attempt { replica, now in
      let outcome = try change(&replica, now)
      if !outcome.alertChanges.isEmpty { notify(outcome, try replica.alerts(now: now)) }
      return outcome
    }
    return .done
  }

  private func notify(_ outcome: Replica.Outcome, _ standing: [Alert]) {
    changeNotifier.alerts.send(standing)
    for case .raised(let alert) in outcome.alertChanges {
      logger.warning("\(alert.level.name): \(alert.text)")
    }
  }
}
