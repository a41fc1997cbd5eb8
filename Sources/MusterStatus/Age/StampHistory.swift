public import MusterModel

/// The anchors that an observer made or received in the last 24 hours, each with a lower bound of
/// the time at which it was made.
///
/// A record that names another was made after it, since the name is a hash and cannot be guessed.
/// Therefore it was made after each of the observer's own records that is reached through echoes:
///
/// ```
///   own anchor, made at 12,000 ──▶ echoed by Ben's ──▶ echoed by Cleo's
///   (time by the observer's clock)  not before 12,000    not before 12,000
/// ```
///
/// The bounds follow only from names, not from stamps, so no false clock affects the bound of
/// another device's record. An echo of a record that has not arrived yet has no effect.
///
/// Invariants: at most `anchorsPerAuthor` of each author, in the order of arrival; none older than
/// `keptMilliseconds`; a lower bound is never above the time of arrival. A full author evicts the
/// oldest of its own: an author cannot evict another's.
public struct StampHistory: Sendable {
  /// After 24 h an echo of a record proves nothing that matters to an alert.
  public static let keptMilliseconds: Int64 = 24 * 3_600_000
  /// One anchor per minute for 24 h, and 96 claims and orders.
  public static let anchorsPerAuthor = 1536

  private struct Entry {
    let receivedAt: Int64
    let earliest: Int64
  }

  private let observer: DeviceID
  private var entries: [StampedRecordID: Entry] = [:]
  private var arrivals: [DeviceID: ArraySlice<StampedRecordID>] = [:]
  private var forgotten: [StampedRecordID] = []

  /// Starts empty at each boot of the observer, since the times of an earlier boot cannot be
  /// compared.
  public init(observer: DeviceID) { self.observer = observer }

  /// The number of remembered anchors, of all authors.
  public var count: Int { entries.count }

  /// Whether this anchor is remembered.
  public func contains(_ id: StampedRecordID) -> Bool { entries[id] != nil }

  /// When the newest remembered anchor of an author arrived.
  public func newestArrival(of author: DeviceID) -> Int64? {
    arrivals[author]?.last.flatMap { entries[$0]?.receivedAt }
  }

  /// Remembers a record of the observer itself, made at `time` of its boot clock. The clock MUST
  /// have been read before the record was signed.
  public mutating func insertOwn(_ id: StampedRecordID, at time: Int64) {
    insert(id, of: observer, Entry(receivedAt: time, earliest: time))
  }

  /// Remembers another device's record if it is an anchor, and returns when it was made by the
  /// observer's boot clock. A repeated record changes nothing: its first arrival counts.
  public mutating func insert(_ record: StampedRecord, at now: Int64) -> Span {
    if let known = entries[record.id] { return span(known) }
    var earliest = Span.longAgo
    for echo in record.echoes ?? [] {
      if let known = entries[echo] { earliest = max(earliest, known.earliest) }
    }
    let entry = Entry(receivedAt: now, earliest: min(earliest, now))
    if record.echoes != nil, record.author != observer {
      insert(record.id, of: record.author, entry)
    }
    return span(entry)
  }

  /// Returns what was forgotten since the last call, so that a store forgets it too.
  public mutating func takeForgotten() -> [StampedRecordID] {
    defer { forgotten = [] }
    return forgotten
  }

  /// Forgets anchors older than 24 h.
  public mutating func expire(at now: Int64) {
    for author in arrivals.keys { expire(author, at: now) }
  }

  private func span(_ entry: Entry) -> Span {
    Span(earliest: entry.earliest, latest: entry.receivedAt)
  }

  private mutating func insert(_ id: StampedRecordID, of author: DeviceID, _ entry: Entry) {
    guard entries[id] == nil else { return }
    expire(author, at: entry.receivedAt)
    if let list = arrivals[author], list.count >= Self.anchorsPerAuthor {
      removeOldest(of: author)
    }
    entries[id] = entry
    arrivals[author, default: []].append(id)
  }

  private mutating func expire(_ author: DeviceID, at now: Int64) {
    while let oldest = arrivals[author]?.first, let entry = entries[oldest],
      now - entry.receivedAt > Self.keptMilliseconds
    {
      removeOldest(of: author)
    }
  }

  private mutating func removeOldest(of author: DeviceID) {
    guard let oldest = arrivals[author]?.popFirst() else { return }
    entries[oldest] = nil
    forgotten.append(oldest)
    if arrivals[author]?.isEmpty == true { arrivals[author] = nil }
  }
}

extension StampHistory {
  /// Traps if an invariant of the type does not hold.
  public func checkInvariants() {
    var listed = 0
    for (author, ids) in arrivals {
      precondition((1...Self.anchorsPerAuthor).contains(ids.count), "anchors of \(author)")
      var before = Int64.min
      for id in ids {
        guard let entry = entries[id] else { preconditionFailure("listed, not remembered: \(id)") }
        precondition(entry.receivedAt >= before, "order of arrival of \(id)")
        precondition(entry.earliest <= entry.receivedAt, "bounds of \(id)")
        before = entry.receivedAt
      }
      listed += ids.count
    }
    precondition(listed == entries.count, "remembered, not listed")
  }
}
