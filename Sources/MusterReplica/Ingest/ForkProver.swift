internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Makes proofs of logs with more branches than count, from stored frames.
struct ForkProver {
  let store: Store
  let control: ControlPlane
  let operation: OperationID

  /// Makes a proof where more branches of a log are held than count.
  func proof(of log: LogID, opening: Opening) throws(StoreError) -> ForkProof? {
    guard control.forkEnd(of: log) == nil else { return nil }
    let strands = try store.strands(of: log)
    guard strands.count(where: { !$0.isParted }) > Limits.branchesPerLog else { return nil }
    var witnesses: [ForkProof.Witness] = []
    for strand in strands where strand.base != nil {
      if let witness = try witness(from: strand.first, along: strand, of: strands) {
        witnesses.append(witness)
      }
    }
    return proof(of: opening, witnesses)
  }

  /// Makes a stronger proof where frames show that a log with too many branches forks further down.
  ///
  /// - Parameters:
  ///   - place: what they follow.
  ///   - frames: verified; the last one is signed.
  func proof(
    at place: FramePosition, with frames: [Frame]
  ) throws(StoreError) -> ForkProof? {
    guard let log = frames.first?.log, let known = control.membership.forkProof(of: log),
      place.sequence + 1 < known.lowestFork
    else { return nil }
    let strands = try store.strands(of: log)
    let signed = frames.firstIndex { $0.signature != nil }
    guard let held = strands.first(where: { $0.head.log == place.log }), let signed,
      let other = ForkProof.Witness(Array(frames[...signed])),
      let own = try witness(from: place.sequence + 1, along: held, of: strands)
    else { return nil }
    return proof(of: known.opening, known.witnesses + [own, other])
  }

  private func proof(of opening: Opening, _ witnesses: [ForkProof.Witness]) -> ForkProof? {
    var chain: [SignedCertificate] = []
    if opening.certificate != .root {
      guard let leaf = control.signed(opening.certificate), let known = control.chain(of: leaf)
      else { return nil }
      chain = known
    }
    return ForkProof(
      opening: opening, chain: chain, witnesses: witnesses, operation: operation)
  }

  /// Proves one frame of a strand, by frames of the strand and of one that goes on from it.
  private func witness(
    from sequence: UInt64, along strand: LogSummary, of strands: [LogSummary]
  ) throws(StoreError) -> ForkProof.Witness? {
    let frames = try path(from: sequence, along: strand, of: strands)
    guard let signed = frames.firstIndex(where: { $0.signature != nil }) else { return nil }
    return ForkProof.Witness(Array(frames[...signed]))
  }

  /// Frames from a sequence on, of a strand and of one of those that go on from it: as many as hold
  /// a signed one.
  private func path(
    from sequence: UInt64, along strand: LogSummary, of strands: [LogSummary]
  ) throws(StoreError) -> [Frame] {
    var tip = strand
    while tip.isParted,
      let next = strands.filter({ $0.base?.parent == tip.head.log })
        .min(by: { $0.head.log < $1.head.log })
    {
      tip = next
    }
    return try store.frames(
      log: tip.head.log, from: sequence, maxBytes: .max,
      maxFrames: Int(Limits.signatureInterval))
  }

  /// Frames for a peer, and those after them up to a signed one: where a log with more branches
  /// than count ends in an unsigned frame, a branch proves it.
  func proved(_ frames: [Frame], of log: LogID) throws(StoreError) -> [Frame] {
    guard let last = frames.last, last.signature == nil, last.log == log,
      control.forkEnd(of: log) != nil
    else { return frames }
    let strands = try store.strands(of: log)
    guard let trunk = strands.first(where: { $0.head.log == log }), trunk.isParted,
      trunk.head.sequence == last.sequence
    else { return frames }
    var proved = frames
    for frame in try path(from: last.sequence + 1, along: trunk, of: strands) {
      proved.append(frame)
      if frame.signature != nil { return proved }
    }
    return frames
  }
}
