internal import MusterModel

/// Frames past a cut, in a set of their own: kept and carried, as far as there is room for them, so
/// that honest late work reaches a commander, and after everything that counts.
extension SyncEngine {
  /// How much counts of a log that has come to a head, with frames that it has grown by.
  func counted(_ log: LogSummary, with frames: [Frame] = []) -> Shelf.Counted {
    guard let part = part(of: log.head.log, opening: log.opening) else { return .all }
    guard let end = part.end else { return .nothing }
    guard log.head.sequence > end else { return .all }
    if let head = part.head ?? shelf.countedHeads[log.head.log] { return .through(head) }
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

  /// How much counts of a log or a strand; nil if all of it does. Of a control log more is input to
  /// the rules than counts.
  private func part(of log: LogID, opening: Opening) -> CountedPart? {
    if opening.lane == .control {
      return roster.control.parts[log]
        ?? (roster.control.certificates.contains(opening.certificate) ? .nothing : nil)
    }
    if let part = roster.parts[log] { return part }
    let device = roster.device(of: opening.certificate)
    return device.map(roster.revoked.contains) == true ? .nothing : nil
  }

  /// Whether a log or a strand is of a log with more branches than count.
  func isOverforked(_ log: LogID) -> Bool { roster.overforked.contains(log) }

  /// Files a log by what of it counts.
  mutating func file(_ log: LogSummary, counted: Shelf.Counted) {
    shelf.file(log, counted: counted, dropsRest: isOverforked(log.head.log))
  }

  /// Stores the newest frame of a log.
  mutating func set(_ log: LogSummary, counted: Shelf.Counted) {
    shelf.set(log, counted: counted, dropsRest: isOverforked(log.head.log))
  }

  /// Other frames count than before.
  mutating func refile(after old: Roster) {
    guard
      roster.parts != old.parts || roster.revoked != old.revoked || roster.control != old.control
    else { return }
    for log in shelf.logs.keys.sorted() {
      guard let summary = shelf.logs[log],
        roster.concerns(summary) || old.concerns(summary)
          || part(of: log, opening: summary.opening) != nil
          || old.control.concerns(log, of: summary.opening.certificate)
      else { continue }
      file(summary, counted: counted(summary))
    }
  }

  /// Whether there is room for frames of a log whose author is put out.
  func mayQuarantine(_ frames: [Frame], opening: Opening) -> Bool {
    guard let first = frames.first, let part = part(of: first.strand, opening: opening),
      first.sequence > part.end ?? 0 || part.end == nil
    else { return true }
    return shelf.quarantined(by: opening.certificate) + frames.count
      <= Limits.quarantinedFrames
  }
}

extension Roster {
  /// Whether less than all of a log may count: a log that was opened after its device was revoked
  /// is not listed.
  fileprivate func concerns(_ log: LogSummary) -> Bool {
    parts[log.head.log] != nil || device(of: log.opening.certificate).map(revoked.contains) == true
  }
}
