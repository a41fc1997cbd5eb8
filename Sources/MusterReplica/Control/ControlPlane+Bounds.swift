internal import MusterModel
internal import MusterSync

/// How much of each log counts.
extension ControlPlane {
  /// Whether all logs count in full.
  var countsEverything: Bool { state.cuts.revoked.isEmpty && !state.cuts.loseBranches }

  /// How far a log or a strand counts, or goes on to a frame that was released; what is beyond is
  /// quarantined. Nil where all of it counts. Of control logs: how far they are input to the rules.
  func bound(of log: LogSummary) -> Cuts.Bound? {
    if log.opening.lane == .control {
      guard let author = author(of: log.opening.certificate),
        let cuts = state.cutsOfControl(under: log.opening.certificate)
      else { return state.cuts.forkBound(of: log) }
      return cuts.bound(of: log, by: author.device)
    }
    guard let author = author(of: log.opening.certificate),
      var bound = state.cuts.bound(of: log, by: author.device)
    else { return nil }
    let released = evidence.lineage.reach(of: state.released.filter { $0.log == log.log })[
      log.head.log]
    if let released, released >= log.first { bound.end = max(bound.end ?? 0, released) }
    return bound
  }

  /// Logs with too many branches of which nothing counts: their device was revoked, and the cuts
  /// do not name them.
  var forkedInVain: [LogID] {
    evidence.membership.forkEnds.keys.filter { log in
      guard let opening = evidence.membership.forkProof(of: log)?.opening,
        let device = author(of: opening.certificate)?.device,
        let cuts = opening.lane == .control
          ? state.cutsOfControl(under: opening.certificate) : state.cuts
      else { return false }
      return cuts.covers(device) && cuts.ends(of: device)[log] == nil
    }
  }
}
