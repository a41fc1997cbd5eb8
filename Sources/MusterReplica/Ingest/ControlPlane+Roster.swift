internal import MusterModel
internal import MusterStore
internal import MusterSync

extension ControlPlane {
  /// Returns the roster for the engine.
  func roster(in store: Store) throws(StoreError) -> Roster {
    guard !countsEverything else { return roster() }
    // Frames of a log that are still to arrive count up to its cut-off too.
    var parts = state.cuts.ends.mapValues { CountedPart(end: $0, head: nil) }
    let (certificates, ends) = state.controlEnds
    var ofControl = ControlParts(
      certificates: certificates, parts: ends.mapValues { CountedPart(end: $0, head: nil) })
    for log in forkedInVain {
      parts[log] = nil
      ofControl.parts[log] = nil
    }
    for log in try store.logs() {
      let part = try part(of: log, in: store)
      if log.opening.lane == .control {
        ofControl.parts[log.head.log] = part
      } else if let part {
        parts[log.head.log] = part
      }
    }
    return roster(parts, control: ofControl)
  }

  private func part(of log: LogSummary, in store: Store) throws(StoreError) -> CountedPart? {
    guard let bound = bound(of: log) else { return nil }
    guard let end = bound.end else { return .nothing }
    guard end < log.head.sequence,
      let hash = try store.hash(of: FramePlace(log: log.head.log, sequence: end))
    else { return CountedPart(end: end, head: nil) }
    return CountedPart(
      end: end, head: Head(log: log.head.log, sequence: end, hash: hash))
  }
}
