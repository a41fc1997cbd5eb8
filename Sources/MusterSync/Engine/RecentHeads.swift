internal import MusterModel

/// The logs that changed last: announces name each change a few times.
///
/// Invariant: at most `limit` logs.
struct RecentHeads: Sendable {
  /// Newest last.
  private var logs: [LogID] = []
  /// How often each of them was named.
  private var namings: [LogID: Int] = [:]

  private static let limit = 12

  mutating func note(_ log: LogID) {
    logs.removeAll { $0 == log }
    logs.append(log)
    if logs.count > Self.limit { namings[logs.removeFirst()] = nil }
    namings[log] = 0
  }

  /// Returns the logs to name now, newest first, and counts that they are named.
  mutating func takeNamed() -> [LogID] {
    let named = Array(logs.reversed())
    for log in logs { namings[log, default: 0] += 1 }
    logs.removeAll { namings[$0, default: 0] >= Timing.announceNamings }
    namings = namings.filter { $0.value < Timing.announceNamings }
    return named
  }
}
