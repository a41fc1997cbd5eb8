internal import MusterModel

/// Quarantine: frames past a cut, reconciled in a set of their own. They are kept and sent as far
/// as there is room, after all frames that count, so that honest late writes reach a commander.
extension LogIndex {
  /// Returns how far a log counts up to its head, given the frames that extended it.
  func counted(_ log: LogSummary, with frames: [Frame] = [], by roster: Roster) -> Counted {
    guard let part = part(of: log.head.log, opening: log.opening, by: roster) else { return .all }
    guard let end = part.end else { return .nothing }
    guard log.head.sequence > end else { return .all }
    if let head = part.head ?? countedHeads[log.head.log] { return .through(head) }
    for frame in frames {
      if frame.sequence == end {
        return .through(Head(log: log.head.log, sequence: end, hash: frame.hash))
      }
      if frame.sequence == end + 1 {
        return .through(Head(log: log.head.log, sequence: end, hash: frame.previous))
      }
    }
    return .nothing
  }

  /// Returns how far a log or strand counts; nil if it counts completely. For a control log,
  /// returns how far it is input to the rules, which is further.
  private func part(of log: LogID, opening: Opening, by roster: Roster) -> CountedPart? {
    if opening.lane == .control {
      return roster.control.parts[log]
        ?? (roster.control.certificates.contains(opening.certificate) ? .nothing : nil)
    }
    if let part = roster.parts[log] { return part }
    let device = roster.device(of: opening.certificate)
    return device.map(roster.revoked.contains) == true ? .nothing : nil
  }

  /// Files a log by the part that counts.
  private mutating func file(_ log: LogSummary, by roster: Roster) {
    file(
      log, counted: counted(log, by: roster),
      dropsRest: roster.overforked.contains(log.head.log))
  }

  /// Stores the newest frame of a log, which has grown by these frames.
  mutating func set(_ log: LogSummary, with frames: [Frame] = [], by roster: Roster) {
    set(
      log, counted: counted(log, with: frames, by: roster),
      dropsRest: roster.overforked.contains(log.head.log))
  }

  /// Files again the logs whose part that counts may have changed with the roster.
  mutating func refile(by roster: Roster, after old: Roster) {
    guard
      roster.parts != old.parts || roster.revoked != old.revoked
        || roster.control != old.control
    else { return }
    for log in summaries.keys.sorted() {
      guard let summary = summaries[log],
        roster.concerns(summary) || old.concerns(summary)
          || part(of: log, opening: summary.opening, by: roster) != nil
          || old.control.concerns(log, of: summary.opening.certificate)
      else { continue }
      file(summary, by: roster)
    }
  }

  /// Whether there is room for frames of a log whose author is revoked.
  func mayQuarantine(_ frames: [Frame], opening: Opening, by roster: Roster) -> Bool {
    guard let first = frames.first, let part = part(of: first.strand, opening: opening, by: roster),
      first.sequence > part.end ?? 0 || part.end == nil
    else { return true }
    return quarantined(by: opening.certificate) + frames.count
      <= Limits.quarantinedFrames
  }

  /// Returns whether one more log of a certificate and lane may be stored.
  ///
  /// The bound applies per certificate and lane, so that no device can use up the quota of another,
  /// and an attacker who opens many logs in one lane leaves the other lanes usable. Each
  /// certificate may store a few logs even if the table as a whole is full. Logs that a revocation
  /// names are always stored: the revocation bounds their number.
  func hasRoomForLog(_ log: LogID, of opening: Opening, by roster: Roster) -> Bool {
    if let part = roster.parts[log] ?? roster.control.parts[log], part.end != nil {
      return true
    }
    #if Canary
      if Canary.globalLogBound.isPlanted {
        return summaries.count < Limits.logsPerLane
      }
    #endif
    let count = logCount(of: opening.certificate, in: opening.lane)
    return count < Limits.logsReserved
      || (count < Limits.logsPerLane && summaries.count < Limits.logs)
  }

  /// The certificate of each log's author, where no log of a later incarnation of the author is
  /// held here: then its author holds the log.
  func currentAuthors() -> [LogID: CertificateHash] {
    var newest: [CertificateHash: UInt32] = [:]
    for log in summaries.values {
      let known = newest[log.opening.certificate] ?? 0
      newest[log.opening.certificate] = max(known, log.opening.generation)
    }
    return summaries.compactMapValues { log in
      let certificate = log.opening.certificate
      return newest[certificate] == log.opening.generation ? certificate : nil
    }
  }
}

extension Roster {
  /// Whether a log may count only partly. A log that was opened after its device was revoked is not
  /// listed.
  fileprivate func concerns(_ log: LogSummary) -> Bool {
    parts[log.head.log] != nil || device(of: log.opening.certificate).map(revoked.contains) == true
  }
}
