public import MusterModel
public import MusterReplica

/// What those learn who follow the node.
extension Node {
  /// The alerts that stand, the loudest first: now, and whenever one has come, gone or been
  /// acknowledged. A slow reader gets the newest only, which says all.
  public func standingAlerts() -> AsyncStream<[Alert]> {
    var standing: [Alert]?
    do {
      standing = try read { try $0.alerts(now: $1) }
    } catch {
      logger.error("\(error)")
    }
    return news.alerts.add(beginningWith: standing)
  }

  /// Alerts that have been raised and stand, as those who follow them were told: each since the
  /// same moment whenever it is asked, over restarts too.
  public func raisedAlerts() throws -> [Alert] {
    try read { replica, _ in try replica.raisedAlerts() }
  }

  /// The count of each set's changes, now and whenever one has changed. A slow reader gets the
  /// newest only, which says all.
  public func changes() -> AsyncStream<ChangeCounts> {
    news.counts.add(beginningWith: news.log.counts)
  }

  /// What of a set is new to a reader that knows it up to a count.
  public func news(of dataset: Dataset, since count: UInt64) -> ChangeLog.News {
    news.log.news(of: dataset, since: count)
  }

  /// Alerts are looked at by a running node only: whoever asks another is told what stands.
  func reviewAlertsIfDue() {
    let start = SystemClock.instant
    guard start >= news.reviewDue else { return }
    act { replica, now in
      let outcome = try replica.reviewAlerts(now: now)
      if !outcome.alertChanges.isEmpty { tell(outcome, try replica.alerts(now: now)) }
      return outcome
    }
    news.reviewed(from: start, to: SystemClock.instant)
    armTimer()
  }

  /// On return it is durable that somebody has taken notice of an alert.
  func acknowledgeAlert(
    _ reference: String, by name: String?, for user: String?
  ) throws -> Reply {
    try attempt { replica, now in
      let user = try user.map { try replica.user(named: $0, now: now) }
      let outcome = try replica.acknowledgeAlert(reference, by: name, for: user, now: now)
      if !outcome.alertChanges.isEmpty { tell(outcome, try replica.alerts(now: now)) }
      return outcome
    }
    return .done
  }

  private func tell(_ outcome: Replica.Outcome, _ standing: [Alert]) {
    news.alerts.tell(standing)
    for case .raised(let alert) in outcome.alertChanges {
      logger.warning("\(alert.level.name): \(alert.text)")
    }
  }
}
