import MusterModel
import MusterReplica

/// Reviews of alerts by the nodes themselves, in worlds with check-ins.
extension World {
  var reviewsAlerts: Bool { scenario.workload.hasCheckIns }

  /// Lets a node review its alerts at a time, unless it does so earlier.
  func requestReview(of node: SimulatedNode, at time: Instant) {
    guard reviewsAlerts, node.isRunning, node.reads,
      let due = node.timers.review.request(at: time)
    else { return }
    schedule.push(.review(node.index), at: due)
  }

  /// Lets a node review its alerts soon after a change.
  func requestReview(of node: SimulatedNode, after outcome: Replica.Outcome) {
    guard
      !outcome.changedRows.isEmpty || outcome.hasMovement || outcome.hasMeshChanged
        || !outcome.alertChanges.isEmpty
    else { return }
    requestReview(of: node, at: now.advanced(byMilliseconds: ReviewTimer.soonMilliseconds))
  }

  func review(by node: SimulatedNode) throws {
    guard node.timers.review.fire(at: now), node.isRunning else { return }
    let done = try command(node) { replica, clock in
      let outcome = try replica.reviewAlerts(now: clock)
      return (replica.nextStatusChange(now: clock), outcome)
    }
    let change = done?.result.map { node.clock.time(of: $0) }
    guard node.isRunning, let due = node.timers.review.rest(from: now, until: change)
    else { return }
    schedule.push(.review(node.index), at: due)
  }
}
