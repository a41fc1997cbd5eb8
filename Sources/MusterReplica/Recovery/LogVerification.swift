internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Verifies every hash, chain and signature of the log, rebuilds the view from it in an in-memory
/// store, and compares.
struct LogVerification {
  let context: ReadContext
  let keyring: Keyring

  /// Returns what was found, and what is to be committed so that the next start repairs it. Changes
  /// nothing. An unreadable log does not prevent the verification of the others.
  ///
  /// - Parameter outcome: the hash of the control plane's outcome.
  func report(outcome: Bytes32) throws -> (VerificationReport, Batch) {
    var correction = Batch()
    var problems = try context.store.integrityProblems().map { "database: \($0)" }
    var audit = LogAudit(local: context.local, roster: context.control.roster())
    var rebuild = ViewRebuild(operation: context.local.operation, store: try Store.inMemory())
    for summary in LogSummary.inOrder(try context.store.logs()) {
      var next = summary.first
      while next <= summary.head.sequence {
        let frames: [Frame]
        do {
          frames = try context.store.frames(
            log: summary.head.log, from: next, maxBytes: 1 << 20, maxFrames: 1024)
        } catch {
          guard case .corrupt(let detail) = error else { throw error }
          problems.append("database: \(detail)")
          break
        }
        guard let last = frames.last else { break }
        for frame in frames {
          let standing = context.control.standing(of: frame, opening: summary.opening)
          audit.check(frame, of: summary)
          try rebuild.add(frame, of: summary, standing: standing, keyring: keyring) {
            place throws(StoreError) in try context.store.frame(place)
          }
        }
        try rebuild.commit()
        next = last.sequence + 1
      }
    }
    problems += audit.finish()
    let strays = try context.store.journalContradictions()
    if strays > 0 {
      problems.append(
        "\(strays) entries of the journal of arrivals contradict the log or one another")
    }
    problems += try SalvagedFrames(context: context).missingFrames().map { missing in
      let first = missing.sequences.lowerBound
      let last = missing.sequences.upperBound
      let which = first == last ? "frame \(first) is" : "frames \(first) to \(last) are"
      let author = missing.callsign.map { " by \($0)" } ?? ""
      return "\(missing.isFloor ? "at least " : "")\(which) missing from log "
        + "\(missing.log.short)\(author): lost to damage, and not received "
        + "again from any peer yet"
    }
    let photos = try verifyPhotos(&correction)
    problems += photos.problems
    let hash = try StateTree.hash(of: context.store, control: outcome)
    if try StateTree.hash(of: rebuild.store, control: outcome) != hash {
      problems.append("the view differs from the log: restart the node to rebuild it")
      correction.forgotten = [ReplicaCore.viewKey]
    }
    let report = VerificationReport(
      frames: rebuild.frames, logs: audit.logs, photoParts: photos.parts, stateHash: hash,
      problems: problems)
    return (report, correction)
  }

  /// Verifies every stored unit of a blob. Damaged ones are cleared, so that they are fetched again
  /// after the next start.
  private func verifyPhotos(
    _ correction: inout Batch
  ) throws -> (parts: Int, problems: [String]) {
    var problems: [String] = []
    var parts = 0
    for blob in try context.store.listedBlobs() {
      parts += blob.units.count
      let damaged = try (0..<blob.units.units).filter { number in
        guard blob.units.contains(number) else { return false }
        return try context.store.unit(number, of: blob.listing)?.isValid(for: blob.listing) != true
      }
      guard !damaged.isEmpty else { continue }
      correction.damagedUnits += damaged.map { StoredUnit(blob: blob.id, number: $0) }
      problems.append(
        "\(damaged.count) of \(blob.units.count) parts of photo \(blob.id.short) are damaged: "
          + "restart the node to fetch them again")
    }
    return (parts, problems)
  }
}

/// Derives the view from frames, each log's in sequence.
private struct ViewRebuild {
  let store: Store
  private(set) var frames = 0
  private var reader: FrameReader
  private var batch = Batch()

  init(operation: OperationID, store: Store) {
    self.store = store
    reader = FrameReader(operation: operation, duress: nil)
  }

  mutating func add(
    _ frame: Frame, of log: LogSummary, standing: ControlPlane.Standing, keyring: Keyring,
    lookup: @escaping FrameReader.Lookup
  ) throws(StoreError) {
    let opening = log.opening
    frames += 1
    // The row names of one log are of no use for the next.
    if frame.sequence == 0 { reader.forgetSome() }
    var application = Application.nothing
    let reading = try reader.read(
      frame, opening: opening, standing: standing, keyring: keyring, lookup: lookup)
    if case .view(let read, let completes, _) = reading {
      application = read
      batch.released += completes.map { ReleasedFrame(place: $0, application: .nothing) }
    }
    batch.frames.append(
      HeldFrame(
        frame: frame, opening: frame.sequence == log.first ? opening : nil,
        base: frame.sequence == log.first ? log.base : nil, application: application))
  }

  mutating func commit() throws(StoreError) {
    _ = try store.commit(batch)
    batch = Batch()
  }
}

/// Verifies frames one by one, each log's in sequence.
private struct LogAudit {
  private let local: LocalDevice
  private let roster: Roster
  private(set) var logs = 0
  private var problems: [String] = []
  private var last: (frame: Frame, key: VerifyingKey?)?
  private var isParted = false
  private static let maximumProblems = 100

  init(local: LocalDevice, roster: Roster) {
    self.local = local
    self.roster = roster
  }

  mutating func check(_ frame: Frame, of log: LogSummary) {
    let opening = log.opening
    if frame.sequence == log.first {
      closeLog()
      logs += 1
      isParted = log.isParted
      if let base = log.base {
        checkStrand(frame, base)
      } else {
        checkOpening(frame, opening)
      }
      let key = roster.signingKey(of: opening.certificate, rootKey: local.rootKey)
      if key == nil { note(frame, "its author is not certified") }
      last = (frame, key)
    } else {
      if let last, last.frame.strand != frame.strand || last.frame.sequence + 1 != frame.sequence {
        note(frame, "frames before it are missing")
      } else if last?.frame.hash != frame.previous {
        note(frame, "the chain is broken")
      }
      last = (frame, last?.key)
    }
    if frame.computedHash(operation: local.operation) != frame.hash {
      note(frame, "its hash does not match its contents")
    }
    if frame.signature != nil, let key = last?.key, !frame.isSigned(by: key) {
      note(frame, "its signature is invalid")
    }
  }

  private mutating func checkOpening(_ frame: Frame, _ opening: Opening) {
    if LogID(operation: local.operation, opening: opening) != frame.log
      || !states(opening, frame.body)
    {
      note(frame, "its opening does not belong to its log")
    }
  }

  private mutating func checkStrand(_ frame: Frame, _ base: StrandBase) {
    if LogID(strandOf: base.log, beginningWith: frame.hash) != frame.strand
      || frame.previous != base.previous
    {
      note(frame, "its strand does not begin with it")
    }
  }

  private func states(_ opening: Opening, _ body: [UInt8]) -> Bool {
    do {
      return try Opening(decoding: body) == opening
    } catch {
      return false
    }
  }

  /// Checks that the newest frame of a log has its own signature; if the log has forked, that its
  /// strands' frames have.
  private mutating func closeLog() {
    if let last, last.frame.signature == nil, !isParted {
      note(last.frame, "no signature proves it")
    }
  }

  private mutating func note(_ frame: Frame, _ what: String) {
    guard problems.count < Self.maximumProblems else { return }
    problems.append("frame \(frame.sequence) of log \(frame.log.short): \(what)")
  }

  mutating func finish() -> [String] {
    closeLog()
    return problems
  }
}
