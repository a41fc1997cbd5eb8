internal import MusterModel
internal import MusterReplica

/// When the exposure notices are compared with the log, and what was found. It stays on this
/// device.
struct ExposureWatch: Sendable {
  /// The notices that concern this device's user.
  private(set) var found: [NearbyExposure] = []
  /// The matches of the last note that was sent; nil before the first since the start.
  private(set) var sentMatches: Set<ExposureID>?
  private var compared: [PublishedNotice] = []
  private var reviewDue: Instant?
  private var searchDue: Instant?
  private var sendDue: Instant?

  private static let reviewMilliseconds: Int64 = 60_000
  /// A scanner may deliver sightings that are a day old.
  private static let searchMilliseconds: Int64 = 6 * 3_600_000
  private static let sendMilliseconds: Int64 = 3_600_000

  /// Whether notices are compared again, and consents followed.
  mutating func takeReview(now: Instant) -> Bool {
    if let reviewDue, now < reviewDue { return false }
    reviewDue = now.advanced(byMilliseconds: Self.reviewMilliseconds)
    return true
  }

  /// Makes the next review due if notices changed.
  mutating func note(_ outcome: Replica.Outcome) {
    if outcome.changedRows.contains(where: { $0.kind == .exposure }) { reviewDue = nil }
  }

  /// Whether the log is to be searched: the notices are new, or the last search is old.
  mutating func takeSearch(_ notices: [PublishedNotice], now: Instant) -> Bool {
    if notices == compared, let searchDue, now < searchDue { return false }
    compared = notices
    searchDue = now.advanced(byMilliseconds: Self.searchMilliseconds)
    return true
  }

  /// Records what a search found. Returns whether it differs.
  mutating func keep(_ exposures: [NearbyExposure]) -> Bool {
    defer { found = exposures }
    return found != exposures
  }

  /// Whether a note may be sent without a command of the user: once an hour.
  mutating func takeSend(now: Instant) -> Bool {
    if let sendDue, now < sendDue { return false }
    sendDue = now.advanced(byMilliseconds: Self.sendMilliseconds)
    return true
  }

  /// Records that a note was sent.
  mutating func sent(_ matches: [ExposureID]) { sentMatches = Set(matches) }
}
