internal import MusterModel
internal import MusterProximity
internal import MusterReplica

/// Exposures: the own report, the note to command, and the search of the log.
extension ProximityRecorder {
  /// A note to command, and how far its sessions reach.
  struct OutgoingNote {
    let note: ProximityNote
    let through: UInt32
  }

  // MARK: The owner's choices

  /// Keeps a consent. Throws if it cannot be stored.
  mutating func consent(_ isGiven: Bool, count: Bool) throws {
    var own = current()
    own.agree(isGiven, toCount: count)
    try keep(own)
  }

  /// Keeps a report with the keys of ended days. A report that was not withdrawn keeps its id.
  mutating func report(_ kind: ExposureKind, text: String, wall: Timestamp) throws {
    if let fault = ExposureNotice.fault(text: text) { throw NodeError.refused(fault) }
    var own = current()
    guard let now = ProximityInterval(containing: wall), !own.keysToPublish(at: now).isEmpty else {
      throw NodeError.refused(
        "this laptop has advertised on no day that has ended: run `muster proximity on`, and "
          + "report two hours after the end of the day (UTC)")
    }
    let drawn = WithdrawalKey(raw: Bytes16(systemSeed().prefix(16)) ?? .zero)
    let known = own.report?.id
    own.report(
      ExposureNotice(
        id: known ?? ExposureID(withdrawnBy: drawn), kind: kind, text: text,
        keys: own.keysToPublish(at: now)), key: known == nil ? drawn : nil)
    try keep(own)
  }

  /// Withdraws the own report. Throws without one.
  mutating func withdrawReport() throws {
    var own = current()
    guard own.withdraw() else {
      throw NodeError.refused("this laptop reported no exposure: there is nothing to withdraw")
    }
    try keep(own)
  }

  /// Whether sessions are sent without a command of the owner, and something is new.
  mutating func hasSomethingToSend(_ matches: [ExposureID], sent: Set<ExposureID>?) -> Bool {
    let own = current()
    if own.sharesCount, Set(matches) != sent ?? [] { return true }
    guard own.sendsSessions else { return false }
    do {
      return try folder.intervals().contains { $0.number >= own.sentThrough }
    } catch {
      return false
    }
  }

  var ownReport: ExposureNotice? { mutating get { current().report } }

  // MARK: The note

  /// Composes the note of this moment.
  ///
  /// - Parameters:
  ///   - matches: the notices that concern the owner.
  ///   - sendsSessions: whether the owner sends them by hand.
  mutating func note(_ matches: [ExposureID], sendsSessions: Bool) throws -> OutgoingNote {
    let own = current()
    var note = ProximityNote(report: own.report)
    note.withdrawn = own.withdrawn
    if own.sharesCount { note.matched = matches }
    let sendsNew = own.sendsSessions || sendsSessions
    // Those that were sent by hand stay in the note: it replaces the note before.
    guard sendsNew || own.sentThrough > 0 else { return OutgoingNote(note: note, through: 0) }
    note.sessions = try noteSessions().filter { sendsNew || $0.end <= own.sentThrough }
    let through = max(own.sentThrough, note.sessions.first?.end ?? 0)
    return OutgoingNote(note: note, through: through)
  }

  /// Records that a note was sent in a frame.
  mutating func sent(_ outgoing: OutgoingNote, as frame: Bytes16) throws {
    var own = current()
    own.sent(through: outgoing.through, as: frame)
    try keep(own)
  }

  /// Records that a device of command acknowledged a note.
  mutating func acknowledge(_ note: Bytes16) throws {
    let before = current()
    var own = before
    own.acknowledge(note)
    if own != before { try keep(own) }
  }

  /// The newest sessions first, with the names of each.
  private func noteSessions() throws -> [NoteSession] {
    try spans().prefix(Limits.noteSessions).map { span in
      NoteSession(
        first: span.first.number, end: span.end, identifiers: UInt16(clamping: span.known.count),
        names: span.names.sorted())
    }
  }

  // MARK: Searching

  /// Compares notices with the log: every interval that a key concerns is read.
  mutating func search(_ notices: [PublishedNotice], wall: Timestamp) throws -> [NearbyExposure] {
    guard let now = ProximityInterval(containing: wall), !notices.isEmpty else { return [] }
    var match = ExposureMatch(now: now)
    for (index, published) in notices.enumerated() {
      for key in published.notice.keys {
        let day = ProximityInterval(number: key.day)
        guard let key = DailyKey(bytes: key.key.bytes, dayStart: day) else { continue }
        do throws(ExposureMatch.Refusal) {
          try match.add(key, of: index)
        } catch {
          // A key of another time: it counts for no sighting of the log.
        }
      }
    }
    for interval in try folder.intervals() where match.concerns(interval) {
      if let log = try folder.log(of: interval) { match.search(log) }
    }
    return Dictionary(grouping: match.exposures, by: \.notice).sorted { $0.key < $1.key }
      .map { index, days in
        let published = notices[index]
        return NearbyExposure(
          id: published.notice.id, kind: published.notice.kind, text: published.notice.text,
          publishedAt: published.publishedAt,
          days: days.map {
            NearbyExposure.Day(
              day: $0.day.start, minutes: ($0.seconds + 59) / 60, rssi: Int($0.rssi))
          })
      }
  }
}

/// Consecutive intervals with sightings.
struct ProximitySpan {
  let first: ProximityInterval
  /// The interval after the last one.
  var end: UInt32
  /// The identifiers.
  var known: Set<Bytes16> = []
  /// Names that were advertised, at most `Limits.namesPerSession`.
  var names: Set<String> = []
}
