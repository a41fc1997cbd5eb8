internal import MusterModel

/// Frames past a cut, in a set of their own: kept and carried, as far as there is room for them, so
/// that honest late work reaches a commander, and after everything that counts.
extension SyncEngine {
  /// How much counts of a log that has come to a head, with frames that it has grown by.
  func counted(_ log: LogSummary, with frames: [Frame] = []) -> Shelf.Counted {
    guard log.opening.lane != .control || isOverforked(log.head.log) else { return .all }
    guard let part = roster.parts[log.head.log] else {
      let device = roster.device(of: log.opening.certificate)
      return device.map(roster.revoked.contains) == true ? .nothing : .all
    }
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
    guard roster.parts != old.parts || roster.revoked != old.revoked else { return }
    for log in shelf.logs.keys.sorted() {
      guard let summary = shelf.logs[log],
        roster.parts[log] != nil || old.parts[log] != nil
          || roster.device(of: summary.opening.certificate).map(roster.revoked.contains) == true
      else { continue }
      file(summary, counted: counted(summary))
    }
  }

  /// Whether there is room for frames of a log whose author is put out.
  func mayQuarantine(_ frames: [Frame], opening: Opening) -> Bool {
    guard let last = frames.last, opening.lane != .control || isOverforked(last.strand) else {
      return true
    }
    let log = last.strand
    let device = roster.device(of: opening.certificate)
    let isPutOut = device.map(roster.revoked.contains) == true || roster.parts[log] != nil
    guard isPutOut, last.sequence > roster.parts[log]?.end ?? 0 else { return true }
    return shelf.quarantined(by: opening.certificate) + frames.count
      <= Limits.quarantinedFrames
  }
}
