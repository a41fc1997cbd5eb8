internal import MusterCrypto
internal import MusterModel
internal import MusterReplica
internal import MusterStore

/// The device whose disk is under test, what it acknowledged, and what was found wrong.
///
/// It is off after a power cut, and while its disk prevents the start.
struct TestedDevice {
  let disk: SimulatedDisk
  /// Nil while the device is off.
  private(set) var store: Store?
  private(set) var replica: Replica?
  /// Whether it stores the epoch keys of its admission.
  var hasJoined = false
  var ledger = DiskLedger()
  /// Calls that failed because of the disk.
  private(set) var failures = 0
  private(set) var violations: [String] = []
  private let credentials: Credentials

  /// The power failed: the device stops.
  struct PowerCut: Error {}

  /// Creates a device with an empty disk.
  init(_ credentials: Credentials, seed: UInt64) {
    self.credentials = credentials
    disk = SimulatedDisk(seed: seed)
  }

  mutating func note(_ violation: String) { violations.append(violation) }

  private mutating func take(_ error: StoreError) throws {
    if disk.isOff { throw PowerCut() }
    failures += 1
    switch error {
    case .io, .diskFull: break
    default: note("a call failed with: \(error)")
    }
  }

  /// Starts the device. Returns false if it runs already, or its disk prevents the start.
  mutating func start(now: ClockReading, random: inout DeterministicRandom) throws -> Bool {
    guard replica == nil else { return false }
    do {
      let store = try disk.openStore(
        DiskPrelude.file, checkpointPages: DiskPrelude.checkpointPages)
      self.store = store
      replica = try Replica(
        store: store, credentials: credentials, start: .continues, seed: random.bytes(32),
        systemBoot: [2], now: now)
      return true
    } catch let error as StoreError {
      store = nil
      try take(error)
      return false
    }
  }

  /// Stops the device.
  mutating func stop() throws {
    replica = nil
    guard let store else { return }
    self.store = nil
    do {
      try store.close()
    } catch {
      if !disk.isOff { try take(error) }
    }
  }

  /// Runs a call on the replica, and notes what is stored then; nil if the device is off, or the
  /// disk made the call fail.
  mutating func call<T>(
    now: ClockReading, _ body: (inout Replica, ClockReading) throws -> (T, Replica.Outcome)
  ) throws -> (T, Replica.Outcome)? {
    guard var replica, let store else { return nil }
    self.replica = nil
    defer { self.replica = replica }
    do {
      let result = try body(&replica, now)
      try ledger.noteContents(of: store)
      return result
    } catch let error as StoreError {
      try take(error)
      return nil
    } catch is Refusal {
      // What the command requires has not arrived: the device was off, or its disk failed.
      return nil
    }
  }

  /// Reads, which must work while the disk fails.
  mutating func read(now: ClockReading) throws {
    guard var replica else { return }
    self.replica = nil
    defer { self.replica = replica }
    do {
      _ = try replica.queries.reports()
      _ = try replica.status(now: now)
    } catch let error as StoreError {
      if disk.isOff { throw PowerCut() }
      note("reading failed: \(error)")
    }
  }

  /// Checks what a started device holds. Returns false if it does not start.
  mutating func check() throws -> Bool {
    if let problem = disk.integrityProblem(in: DiskPrelude.file) { note("integrity: \(problem)") }
    guard let store, var replica else {
      note("it does not start again")
      return false
    }
    for loss in try ledger.losses(in: store, of: replica) { note("lost: \(loss)") }
    for loss in try ledger.recordLosses(in: store) { note("lost: \(loss)") }
    for problem in try replica.verify().problems { note("verify: \(problem)") }
    try replica.checkInvariants()
    self.replica = replica
    return true
  }

  /// Returns the root hash of what is stored; nil while the device is off.
  mutating func root() -> [UInt8]? { replica?.root() }

  /// Returns the hash of the state; nil while the device is off.
  mutating func stateHash() throws -> StateHash? { try replica?.stateHash() }
}
