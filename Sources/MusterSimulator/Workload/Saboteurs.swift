import MusterModel
import MusterReplica

/// Members with real keys and a modified program that forge nothing but disrupt others: they
/// withhold, flood, or equivocate.
extension World {
  /// No smaller datagram carries a write of another device.
  private static let leastWriteBytes = 160

  /// Returns whether a node withholds a datagram that it should relay.
  func isWithheld(_ bytes: [UInt8], by node: SimulatedNode) -> Bool {
    guard let until = node.withholdsUntil, now < until, phase == .story,
      bytes.count >= Self.leastWriteBytes
    else { return false }
    tally.fire(.withholding)
    return true
  }

  /// Sends invalid signatures, which all nodes have to verify or rate-limit.
  func flood(_ node: SimulatedNode, everyMicroseconds: Int64, until: Instant) throws {
    guard now < until, phase == .story else { return }
    queue.push(
      .flood(node.index, everyMicroseconds: everyMicroseconds, until: until),
      at: Instant(microseconds: now.microseconds + everyMicroseconds))
    guard node.isRunning else { return }
    tally.fire(.flood)
    try command(node) { replica, clock in
      ((), try replica.forgeFrame(isSigned: true, now: clock))
    }
  }

  /// Sends two frames for one position, so that nodes hold different branches, and forks a control
  /// log more often than counts.
  func equivocate(_ node: SimulatedNode) throws {
    guard node.isRunning else { return }
    let done = try command(node) { replica, clock in
      ((), try replica.equivocate(now: clock))
    }
    if done != nil { tally.fire(.equivocation) }
    try command(node) { replica, clock in ((), try replica.forkPastBound(now: clock)) }
  }
}
