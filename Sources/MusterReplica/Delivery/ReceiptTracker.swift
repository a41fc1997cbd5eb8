internal import MusterModel

/// Schedules the receipts of a device: soon after a log has stopped growing, and at a rate
/// that does not fill a narrow link.
///
///     growth ──▶ owed, due after a pause ──▶ taken, a few a second ──▶ signed and published
///
/// Nothing is owed or sent while no log grows.
struct ReceiptTracker: Sendable {
  /// A growing log is receipted after a pause of this length; shorter for the urgent lane.
  static let pauseMilliseconds: Int64 = 2000
  static let urgentPauseMilliseconds: Int64 = 250
  /// The latest time after growth began.
  static let patienceMilliseconds: Int64 = 10_000
  /// So many fit one datagram; then a pause follows.
  static let perPass = 6
  static let restMilliseconds: Int64 = 1500

  private struct Debt {
    let lane: Lane
    var due: Instant
    let latest: Instant
  }

  private var debts: [LogID: Debt] = [:]
  private var restsUntil = Instant(microseconds: 0)
  /// No later than the earliest due receipt; nil while nothing is owed.
  private var earliest: Instant?

  /// When `take` is to be called; nothing may be due yet.
  var nextDeadline: Instant? { earliest.map { max($0, restsUntil) } }

  /// Schedules a receipt, because the held part of a log differs from the last receipt.
  mutating func owe(_ log: LogID, lane: Lane, now: Instant) {
    let pause = lane == .urgent ? Self.urgentPauseMilliseconds : Self.pauseMilliseconds
    let latest =
      debts[log]?.latest ?? now.advanced(byMilliseconds: Self.patienceMilliseconds)
    let due = min(now.advanced(byMilliseconds: pause), latest)
    debts[log] = Debt(lane: lane, due: due, latest: latest)
    earliest = min(earliest ?? due, due)
  }

  /// Returns the logs to receipt now: first those of the urgent lane, so that a help claim never
  /// waits behind less urgent data; within a lane, those longest due.
  mutating func take(now: Instant) -> [LogID] {
    guard let deadline = nextDeadline, deadline <= now else { return [] }
    let due = debts.filter { $0.value.due <= now }
      .sorted {
        ($0.value.lane.rawValue, $0.value.due, $0.key)
          < ($1.value.lane.rawValue, $1.value.due, $1.key)
      }
      .prefix(Self.perPass).map(\.key)
    for log in due { debts[log] = nil }
    if !due.isEmpty { restsUntil = now.advanced(byMilliseconds: Self.restMilliseconds) }
    earliest = debts.values.map(\.due).min()
    return due
  }
}
