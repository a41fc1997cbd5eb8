internal import MusterModel
internal import MusterStore
internal import MusterSync

/// How far each log counts.
extension ControlPlane {
  /// Whether all logs count in full.
  var countsEverything: Bool { state.cuts.revoked.isEmpty && !state.cuts.loseBranches }

  /// Returns how far a log or strand counts, or reaches to a released frame; the frames after that
  /// are quarantined. Returns nil if the whole log counts. For a control log, returns how far it is
  /// input to the rules.
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

  /// Whether a frame at a place counts; nil if that depends on whether it is released.
  func counts(_ place: FramePosition, under opening: Opening) -> Bool? {
    guard let author = author(of: opening.certificate) else { return false }
    if state.cuts.leave(place.sequence, of: place.log, by: author.device) { return true }
    return state.released.isEmpty ? false : nil
  }

  /// The logs with too many branches of which no frame counts: their device is revoked, and no cut
  /// names them.
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
