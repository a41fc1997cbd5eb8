internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Verified frames, with their effects.
extension ReplicaCore {
  // MARK: Frames

  /// Adds verified frames to the batch, with their effects.
  ///
  /// - Parameter isOwn: whether this program has just written them.
  mutating func hold(
    _ frames: [Frame], opening: Opening, base: StrandBase? = nil, isOwn: Bool = false,
    now: ClockReading
  ) throws {
    var missing: Set<EpochID> = []
    var found: [EpochKey] = []
    let all = control.standing(under: opening)
    for frame in frames {
      let standing = all ?? control.standing(of: frame, opening: opening)
      let reading = try read(frame, opening: opening, standing: standing)
      var application = Application.nothing
      switch reading {
      case .view(let read, let completes, let stamp):
        application = read
        try date(frame, of: opening, application, stamp, isOwn: isOwn, now: now)
        if case .waiting(.key(let epoch)) = read {
          missing.insert(epoch)
          epochKeys.waitedFor.insert(epoch)
        }
        for place in completes {
          transaction.batch.released.append(ReleasedFrame(place: place, application: .nothing))
        }
      case .control(let operations):
        control.add(operations, of: frame, in: opening)
        found += epochKeys.sealed(in: operations, to: local)
      }
      let isFirst = frame.sequence == base?.first ?? 0
      transaction.batch.frames.append(
        HeldFrame(
          frame: frame, opening: isFirst ? opening : nil, base: isFirst ? base : nil,
          application: application))
      if control.hasForks, control.isNamed(frame) { transaction.unsettled.isLineageStale = true }
      if isFirst, control.hasOverflowed(opening.certificate) {
        transaction.unsettled.isLineageStale = true
      }
    }
    if let last = frames.last {
      schedules.oweReceipt(for: last.strand, lane: opening.lane, now: now.instant)
    }
    for key in found { try learn(key, now: now) }
    try evaluateControl(now: now)
    try KeyRequests.ask(for: missing, of: opening.certificate, in: &self, now: now)
  }

  mutating func read(
    _ frame: Frame, opening: Opening, standing: ControlPlane.Standing
  ) throws(StoreError) -> FrameReader.Reading {
    let store = store
    return try derived.reader.read(
      frame, opening: opening, standing: standing, keyring: epochKeys.keyring
    ) {
      place throws(StoreError) in try store.frame(place)
    }
  }

  /// Evaluates the changes by control frames in the batch: who may write, which writes count, and
  /// which epoch is used.
  mutating func evaluateControl(now: ClockReading) throws {
    let change = control.evaluate()
    guard !change.isEmpty else { return }
    derived.statusModel.markRosterStale()
    if change.haveUplinksChanged { transaction.outcome.haveUplinksChanged = true }
    if change.haveCutsChanged || change.haveReleasesChanged {
      if control.hasForks { transaction.unsettled.isLineageStale = true }
      transaction.markViewStale()
    }
    transaction.markStale(try change.ranges(in: store))
    if derived.photos.waits(for: change.growth.certificates.map(\.hash)) {
      transaction.markListsStale()
    }
    if change.isRosterNew || change.haveReleasesChanged {
      // What counts of a log is derived from its stored frames.
      if !control.countsEverything { try commit(now: now) }
      try feedRoster(now: now)
    } else if !change.growth.isEmpty {
      try run(.rosterGrew(change.growth), now: now)
    }
    try openUsable(now: now)
    try reviewEpoch(now: now)
  }

  mutating func feedRoster(now: ClockReading) throws {
    transaction.noteRosterFed()
    try run(.rosterChanged(try control.roster(in: store)), now: now)
  }

  /// Dates a frame of the urgent lane, if it can be read.
  ///
  /// - Parameter isOwn: whether this program has just written it.
  mutating func date(
    _ frame: Frame, of opening: Opening, _ application: Application, _ stated: RecordStamp?,
    isOwn: Bool = false, now: ClockReading
  ) throws(StoreError) {
    guard opening.lane == .urgent, let author = control.author(of: opening.certificate)
    else { return }
    if isOwn, let stated {
      records.noteOwnFrame(frame.hash, stated)
      return try noteStamped(now: now)
    }
    if stated == nil { guard case .applied = application else { return } }
    records.takeFrame(frame.hash, by: author.device, stated: stated, now: now)
  }
}
