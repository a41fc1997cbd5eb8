import MusterModel
import MusterReplica

/// Members with real keys and a changed program who do not forge what others say, but stand in
/// their way: who withhold, flood, or say two things at once.
extension World {
  /// Nothing smaller carries a write of somebody else's.
  private static let leastWriteBytes = 160

  /// Whether a node keeps to itself what it should pass on.
  func isWithheld(_ bytes: [UInt8], by node: SimulatedNode) -> Bool {
    guard let until = node.withholdsUntil, now < until, phase == .story,
      bytes.count >= Self.leastWriteBytes
    else { return false }
    tally.fire(.withholding)
    return true
  }

  /// Everybody has to look at each signature, or to stop looking.
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

  /// Whoever hears the second frame first holds another branch than the rest.
  func equivocate(_ node: SimulatedNode) throws {
    guard node.isRunning else { return }
    let done = try command(node) { replica, clock in
      ((), try replica.equivocate(now: clock))
    }
    if done != nil { tally.fire(.equivocation) }
  }
}
