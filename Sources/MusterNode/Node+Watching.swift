public import MusterModel
public import MusterReplica

/// What those learn who follow the node.
extension Node {
  /// Alerts that come and go from now on; before them, with `standing`, those that stand.
  /// Bounded: a reader that falls more than `NewsDesk.bound` batches behind misses some.
  public func alertChanges(standing: Bool) -> AsyncStream<[AlertChange]> {
    var known: [AlertChange] = []
    if standing {
      do {
        known = try read { try $0.alerts(now: $1) }.map(AlertChange.raised)
      } catch {
        logger.error("\(error)")
      }
    }
    return news.alerts.add(beginningWith: known.isEmpty ? nil : known)
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
      tell(outcome.alertChanges)
      return outcome
    }
    news.reviewed(from: start, to: SystemClock.instant)
    armTimer()
  }

  /// On return it is durable that somebody has taken notice of an alert.
  func acknowledgeAlert(_ reference: String, by name: String?) throws -> Reply {
    try attempt { replica, now in
      let outcome = try replica.acknowledgeAlert(reference, by: name, now: now)
      tell(outcome.alertChanges)
      return outcome
    }
    return .done
  }

  private func tell(_ changes: [AlertChange]) {
    guard !changes.isEmpty else { return }
    news.alerts.tell(changes)
    for case .raised(let alert) in changes { logger.warning("\(alert.level.name): \(alert.text)") }
  }
}
