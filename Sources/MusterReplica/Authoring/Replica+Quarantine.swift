public import MusterModel
internal import MusterSync

/// Frames after a cut-off, which a revoked device wrote unaware or maliciously. A commander reviews
/// them and releases the honest ones.
extension Replica {
  /// Releases frames, as if there were no cut-off: their entries get the author and the permissions
  /// that they would have had. Releasing them again changes nothing.
  ///
  /// - Parameter reference: the first digits of a frame's hash, which includes the other parts of
  ///   its group; or of a device, for all its frames.
  /// - Returns: the number of released frames.
  public mutating func release(
    _ reference: String, now: ClockReading
  ) throws -> (count: Int, outcome: Outcome) {
    try core.context.require(.command)
    let named = try core.queries.quarantineReader.frames(named: reference)
    let heads = named.prefix(Limits.framesPerRelease).map {
      Head(log: $0.log, sequence: $0.sequence, hash: $0.hash)
    }
    let outcome = try transact(now: now) { replica in
      try replica.core.append([[.release(Release(frames: heads))]], lane: .control, now: now)
    }
    return (heads.count, outcome)
  }
}
