internal import MusterModel

/// Quarantine: frames past a cut, reconciled in a set of their own. They are kept and sent as far
/// as there is room, after all frames that count, so that honest late writes reach a commander.
extension SyncEngine {
  /// How much counts of a log that has come to a head, with frames that it has grown by.
  func counted(_ log: LogSummary, with frames: [Frame] = []) -> LogIndex.Counted {
    guard let part = part(of: log.head.log, opening: log.opening) else { return .all }
    guard let end = part.end else { return .nothing }
    guard log.head.sequence > end else { return .all }
    if let head = part.head ?? context.logs.countedHeads[log.head.log] { return .through(head) }
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
  private func part(of log: LogID, opening: Opening) -> CountedPart? {
    if opening.lane == .control {
      return context.roster.control.parts[log]
        ?? (context.roster.control.certificates.contains(opening.certificate) ? .nothing : nil)
    }
    if let part = context.roster.parts[log] { return part }
    let device = context.roster.device(of: opening.certificate)
    return device.map(context.roster.revoked.contains) == true ? .nothing : nil
  }

  /// Whether a log or a strand is of a log with more branches than count.
  func isOverforked(_ log: LogID) -> Bool { context.roster.overforked.contains(log) }

  /// Files a log by what of it counts.
  mutating func file(_ log: LogSummary, counted: LogIndex.Counted) {
    context.logs.file(log, counted: counted, dropsRest: isOverforked(log.head.log))
  }

  /// Stores the newest frame of a log.
  mutating func set(_ log: LogSummary, counted: LogIndex.Counted) {
    context.logs.set(log, counted: counted, dropsRest: isOverforked(log.head.log))
  }

  /// Files again the logs whose part that counts may have changed with the roster.
  mutating func refile(after old: Roster) {
    guard
      context.roster.parts != old.parts || context.roster.revoked != old.revoked
        || context.roster.control != old.control
    else { return }
    for log in context.logs.summaries.keys.sorted() {
      guard let summary = context.logs[log],
        context.roster.concerns(summary) || old.concerns(summary)
          || part(of: log, opening: summary.opening) != nil
          || old.control.concerns(log, of: summary.opening.certificate)
      else { continue }
      file(summary, counted: counted(summary))
    }
  }

  /// Whether there is room for frames of a log whose author is revoked.
  func mayQuarantine(_ frames: [Frame], opening: Opening) -> Bool {
    guard let first = frames.first, let part = part(of: first.strand, opening: opening),
      first.sequence > part.end ?? 0 || part.end == nil
    else { return true }
    return context.logs.quarantined(by: opening.certificate) + frames.count
      <= Limits.quarantinedFrames
  }
}

extension Roster {
  /// Whether a log may count only partly. A log that was opened after its device was revoked is not
  /// listed.
  fileprivate func concerns(_ log: LogSummary) -> Bool {
    parts[log.head.log] != nil || device(of: log.opening.certificate).map(revoked.contains) == true
  }
}
