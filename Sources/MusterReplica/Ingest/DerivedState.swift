internal import MusterModel
internal import MusterStore

/// What is derived from the log: how frames are read into the view, and the statuses and the state
/// hash, which follow from the view.
struct DerivedState: Sendable {
  private let operation: OperationID
  private let opener: DuressOpener?
  var reader: FrameReader
  var statusModel = StatusModel()
  var checkIns = CheckInIndex()
  private(set) var duress = DuressLedger()
  var alertMemory = AlertMemory()
  var photos = PhotoKeeper()
  private var demands = LocationDemands()
  /// Nil before the first request, and after the view was derived again.
  private(set) var stateTree: StateTree?
  /// The number of rebuilds of the whole view since the start.
  private(set) var rebuilds = 0

  /// The effects of frames on the view, derived again.
  struct Derivation {
    let outcome: CommitOutcome
    /// By author, the epochs whose keys frames wait for.
    let missing: MissingEpochs
  }

  /// - Parameter opener: nil except at a command device.
  init(operation: OperationID, opener: DuressOpener?) {
    self.operation = operation
    self.opener = opener
    reader = FrameReader(operation: operation, duress: opener)
  }

  /// What is not held of what each device named.
  var excess: [BoundedTable: [DeviceID: UInt64]] {
    [.checkIns: checkIns.excess, .unknownPeople: statusModel.excess]
  }

  /// Forgets what memory may be ahead of the store of.
  mutating func forget() {
    stateTree = nil
    statusModel.markAllStale()
    reader = FrameReader(operation: operation, duress: opener)
  }

  /// Derives the view again from the log.
  ///
  /// - Parameter beginsIndex: whether later changes cost only the rows that they concern.
  mutating func rebuildView(
    of store: Store, by control: ControlPlane, keyring: Keyring, beginsIndex: Bool
  ) throws -> Derivation {
    var reader = FrameReader(operation: operation, duress: opener)
    var missing: MissingEpochs = [:]
    let outcome = try store.rebuildView(beginsIndex: beginsIndex) { opening, frame, lookup in
      // The row names of one log are of no use for the next.
      if frame.sequence == 0 { reader.forgetSome() }
      return try reader.reapply(
        frame, opening: opening, standing: control.standing(of: frame, opening: opening),
        keyring: keyring, missing: &missing, lookup: lookup)
    }
    self.reader = reader
    rebuilds += 1
    stateTree = nil
    statusModel.note(outcome)
    statusModel.markAllStale()
    return Derivation(outcome: outcome, missing: missing)
  }

  /// Derives the rows again that frames wrote; returns nil if the whole view must be rebuilt.
  mutating func rederive(
    _ ranges: [FrameRange], of store: Store, by control: ControlPlane, keyring: Keyring
  ) throws -> Derivation? {
    var reader = FrameReader(operation: operation, duress: opener)
    var missing: MissingEpochs = [:]
    let outcome = try store.rederive(ranges) { opening, frame, lookup in
      try reader.reapply(
        frame, opening: opening, standing: control.standing(of: frame, opening: opening),
        keyring: keyring, missing: &missing, lookup: lookup)
    }
    guard let outcome else { return nil }
    self.reader.add(reader.takeCalls())
    note(outcome)
    return Derivation(outcome: outcome, missing: missing)
  }

  // MARK: Calls under duress

  /// Takes the stored calls, at a start and after a failed commit. Unreadable ones were written by
  /// another version: deriving the view again finds them.
  mutating func restoreCalls(_ bytes: [UInt8]?) {
    duress = DuressLedger()
    guard let bytes else { return }
    do throws(DecodingFault) {
      duress = try DuressLedger(decoding: bytes)
    } catch {
      duress = DuressLedger()
    }
    statusModel.noteChange(of: duress.people)
  }

  /// Takes the calls in the frames that were read. Returns what to store; nil without a new call.
  mutating func takeCalls() -> [UInt8]? {
    let calls = reader.takeCalls()
    guard !calls.isEmpty, let people = duress.add(calls) else { return nil }
    statusModel.noteChange(of: people)
    return duress.encoded()
  }

  /// Closes the calls of a person. Returns what to store; nil if none was open.
  mutating func clearCalls(of user: UserID) -> [UInt8]? {
    guard duress.clear(user) else { return nil }
    statusModel.noteChange(of: [user])
    return duress.encoded()
  }

  /// Returns the locate directives for this device among changed rows that were not reported since
  /// the start.
  mutating func takeDemands(
    among changed: [RowKey], in context: ReadContext
  ) throws(StoreError) -> [RowID] {
    try demands.take(among: changed, in: context)
  }

  /// Takes what a commit changed.
  mutating func note(_ outcome: CommitOutcome) {
    stateTree?.note(outcome)
    statusModel.note(outcome)
  }

  /// Returns the state hash. The first call reads every row and crossing; later ones read only
  /// changed leaves.
  mutating func stateHash(of store: Store, control: Bytes32) throws -> StateHash {
    var tree = try stateTree ?? StateTree(of: store)
    stateTree = nil
    let hash = try tree.hash(of: store, control: control)
    stateTree = tree
    return hash
  }

  /// Traps if the state hash is not that of the store.
  func checkInvariants(of store: Store) throws {
    guard var tree = stateTree else { return }
    let (kept, whole) = (
      try tree.hash(of: store, control: .zero), try StateTree.hash(of: store, control: .zero)
    )
    precondition(kept == whole, "the state hash is out of date")
  }
}

extension ControlPlane.Change {
  /// The stored frames that a change of the control plane concerns.
  func ranges(in store: Store) throws(StoreError) -> [FrameRange] {
    guard !narrowed.isEmpty || !changedCertificates.isEmpty else { return [] }
    return try store.logs().filter { $0.opening.lane != .control }.flatMap { log in
      if changedCertificates.contains(log.opening.certificate) {
        return [FrameRange(log: log.head.log, sequences: log.first...log.head.sequence)]
      }
      guard let lost = narrowed[log.head.log], lost.upperBound >= log.first,
        lost.lowerBound <= log.head.sequence
      else { return [] }
      return [
        FrameRange(
          log: log.head.log,
          sequences: max(lost.lowerBound, log.first)...min(lost.upperBound, log.head.sequence))
      ]
    }
  }
}

extension FrameReader {
  /// Reads a stored frame again, and returns what it does to a view that is derived from the log.
  ///
  /// - Parameter missing: gets the epoch whose key is missing.
  mutating func reapply(
    _ frame: Frame, opening: Opening, standing: ControlPlane.Standing, keyring: Keyring,
    missing: inout MissingEpochs, lookup: @escaping Lookup
  ) throws -> Reapplication {
    let reading = try read(
      frame, opening: opening, standing: standing, keyring: keyring, lookup: lookup)
    guard case .view(let application, let completes, _) = reading else {
      return Reapplication(.nothing)
    }
    if case .waiting(.key(let epoch)) = application {
      missing[opening.certificate, default: []].insert(epoch)
    }
    var mayBePart = false
    if case .author = standing, case .nothing = application { mayBePart = true }
    return Reapplication(
      application, released: completes.map { ReleasedFrame(place: $0, application: .nothing) },
      mayBePart: mayBePart)
  }
}
