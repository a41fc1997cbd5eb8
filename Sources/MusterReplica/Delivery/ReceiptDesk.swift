internal import MusterModel

/// When a command device owes receipts for which logs: soon after a log stopped growing, and never
/// so many at once that they would crowd a narrow link.
///
///     growth ──▶ owed, due after a pause ──▶ taken, a few a second ──▶ signed and published
///
/// Nothing is owed, and nothing sent, while no log grows.
struct ReceiptDesk: Sendable {
  /// A log that grows on is receipted once it pauses so long, the urgent lane's sooner.
  static let pauseMilliseconds: Int64 = 2000
  static let urgentPauseMilliseconds: Int64 = 250
  /// At the latest so long after it began to grow.
  static let patienceMilliseconds: Int64 = 10_000
  /// So many at once fit one datagram; then a rest.
  static let perPass = 6
  static let restMilliseconds: Int64 = 1500

  private struct Debt {
    let lane: Lane
    var due: Instant
    let latest: Instant
  }

  private var debts: [LogID: Debt] = [:]
  private var restsUntil = Instant(microseconds: 0)
  /// No later than the earliest debt is due; nil while nothing is owed.
  private var earliest: Instant?

  /// When `take` is wanted; it may then find nothing due yet.
  var nextDeadline: Instant? { earliest.map { max($0, restsUntil) } }

  /// How many logs are owed a receipt.
  var count: Int { debts.count }

  /// What is held of a log is no longer what the last receipt said.
  mutating func owe(_ log: LogID, lane: Lane, now: Instant) {
    let pause = lane == .urgent ? Self.urgentPauseMilliseconds : Self.pauseMilliseconds
    let latest =
      debts[log]?.latest ?? now.advanced(byMilliseconds: Self.patienceMilliseconds)
    let due = min(now.advanced(byMilliseconds: pause), latest)
    debts[log] = Debt(lane: lane, due: due, latest: latest)
    earliest = min(earliest ?? due, due)
  }

  /// The logs to receipt now: those of the urgent lane first, so that a call for help is never
  /// behind what can wait; of one lane, those longest due.
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
