internal import MusterModel

/// Requests for frames that this device announces, because devices without a session with it named
/// them: on a narrow link few pairs have a session, and one multicast answers for all.
///
///     a head is named ─▶ missing ── the next announce ─▶ asked ── not answered ─▶ asked again …
///                           └─ stored, or asked by another device: its answer serves this one
///
/// Invariant: at most `perDevice` logs are noted for what one device named, so that no made-up
/// heads displace what others named. Each is asked `mostAttempts` times.
struct RequestsToAll: Sendable {
  private struct Missing: Sendable {
    let through: UInt64
    let namedBy: DeviceID
    var attempts = 0
    var next: Instant
  }

  private var missing: [LogID: Missing] = [:]

  /// Requests in one announce.
  static let perAnnounce = 8
  private static let perDevice = 16
  private static let mostAttempts = 8

  /// Notes a head that a device named.
  mutating func note(_ head: LeafHint, of device: DeviceID, context: Context) {
    let (log, number) = (LogID(raw: head.key), UInt64(head.number))
    guard number > 0, context.logs.isBehind(of: log, by: number) else { return }
    if let known = missing[log], number <= known.through { return }
    guard
      missing.values.lazy.filter({ $0.namedBy == device }).prefix(Self.perDevice).count
        < Self.perDevice
    else { return }
    missing[log] = Missing(through: number, namedBy: device, next: context.now)
  }

  /// Returns the requests for an announce, those first that were asked least often.
  ///
  /// - Parameter isOpen: whether a log is requested of no peer on a session.
  mutating func take(context: Context, where isOpen: (LogID) -> Bool) -> [Want] {
    missing = missing.filter { log, head in
      context.logs.isBehind(of: log, by: head.through) && head.attempts < Self.mostAttempts
    }
    let due = missing.filter { isOpen($0.key) && $0.value.next <= context.now }
      .sorted { ($0.value.attempts, $0.key) < ($1.value.attempts, $1.key) }
      .prefix(Self.perAnnounce)
    return due.map { log, head in
      missing[log]?.attempts += 1
      postpone(log, context: context)
      let first = context.logs.next(of: log)
      let last = min(head.through, first + 2 * Limits.signatureInterval - 1)
      return Want(log: log, from: first, through: last)
    }
  }

  /// Notes that another device asked all for a log.
  mutating func noteAsked(_ want: Want, context: Context) {
    if missing[want.log] != nil { postpone(want.log, context: context) }
  }

  private mutating func postpone(_ log: LogID, context: Context) {
    missing[log]?.next = context.now.advanced(byMilliseconds: Timing.relayLastInCrowdsMilliseconds)
  }

  func checkInvariants() {
    let devices = Dictionary(grouping: missing.values, by: \.namedBy)
    precondition(
      devices.values.allSatisfy { $0.count <= Self.perDevice }, "\(missing.count) requests to all")
  }
}
