internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Derives a part of the view again after a fork or a proof changes the effect of some frames.
extension Replica {
  /// The stored frames that a change of the control plane concerns.
  func ranges(of change: ControlPlane.Change) throws(StoreError) -> [FrameRange] {
    guard !change.narrowed.isEmpty || !change.changedCertificates.isEmpty else { return [] }
    return try store.logs().filter { $0.opening.lane != .control }.flatMap { log in
      if change.changedCertificates.contains(log.opening.certificate) {
        return [FrameRange(log: log.head.log, sequences: log.first...log.head.sequence)]
      }
      guard let lost = change.narrowed[log.head.log], lost.upperBound >= log.first,
        lost.lowerBound <= log.head.sequence
      else { return [] }
      return [
        FrameRange(
          log: log.head.log,
          sequences: max(lost.lowerBound, log.first)...min(lost.upperBound, log.head.sequence))
      ]
    }
  }

  /// Derives the rows again that frames wrote; returns false if the whole view must be rebuilt.
  mutating func rederive(_ ranges: [FrameRange]) throws -> Bool {
    var reader = FrameReader(operation: local.operation)
    let (control, keyring) = (control, keyring)
    var waitedFor: Set<EpochID> = []
    let outcome = try store.rederive(ranges) { opening, frame, lookup in
      try reader.reapply(
        frame, opening: opening, standing: control.standing(of: frame, opening: opening),
        keyring: keyring, waitingFor: &waitedFor, lookup: lookup)
    }
    guard let outcome else { return false }
    epochsWaitedFor.formUnion(waitedFor)
    note(outcome)
    transaction.markViewCurrent(viewStamp)
    return true
  }
}

extension FrameReader {
  /// Reads a stored frame again, and returns what it does to a view that is derived from the log.
  ///
  /// - Parameter waitedFor: gets the epoch whose key is missing.
  mutating func reapply(
    _ frame: Frame, opening: Opening, standing: ControlPlane.Standing, keyring: Keyring,
    waitingFor waitedFor: inout Set<EpochID>, lookup: @escaping Lookup
  ) throws -> Reapplication {
    let reading = try read(
      frame, opening: opening, standing: standing, keyring: keyring, lookup: lookup)
    guard case .view(let application, let completes, _) = reading else {
      return Reapplication(.nothing)
    }
    if case .waiting(.key(let epoch)) = application { waitedFor.insert(epoch) }
    var mayBePart = false
    if case .author = standing, case .nothing = application { mayBePart = true }
    return Reapplication(
      application, released: completes.map { ReleasedFrame(place: $0, application: .nothing) },
      mayBePart: mayBePart)
  }
}
