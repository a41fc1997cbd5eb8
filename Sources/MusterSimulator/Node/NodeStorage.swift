import MusterModel
import MusterStore

/// A node's database and, if the scenario has disk faults for the node, the disk below it. Other
/// databases are in memory, which is faster.
///
///     power_cut ─▶ the n-th write or sync ─▶ the call fails ─▶ the node is off, its disk damaged
///     disk_full, disk_fails ─▶ commits fail for a while ─▶ nothing is acknowledged meanwhile
///
/// Without a disk, faults have no effect.
struct NodeStorage {
  private(set) var store: Store
  /// What a scheduled power cut lasts; nil until the heal.
  private(set) var outageMilliseconds: Int64?
  /// Nil if the database is in memory.
  private let disk: SimulatedDisk?
  private var backup: Backup?
  /// The number of transient faults so far: the end of one ends no later one.
  private var faults = 0
  /// The counts of the disk that `takeFaults` returned last.
  private var reported: SimulatedDisk.Counts?

  /// A copy of the data.
  private enum Backup {
    case store(Store)
    case image(SimulatedDisk.Image)
  }

  private static let file = "node.db"
  /// Small, so that checkpoints are tested too.
  private static let checkpointPages = 60

  /// Creates an empty database.
  init(of name: String, hasDisk: Bool, seed: UInt64) throws(StoreError) {
    guard hasDisk else {
      disk = nil
      store = try Store.inMemory()
      return
    }
    var seeds = RandomStream(seed: seed, named: "disk of \(name)")
    let disk = SimulatedDisk(seed: seeds.next())
    self.disk = disk
    store = try Self.open(disk)
    reported = disk.counts
  }

  private static func open(_ disk: SimulatedDisk) throws(StoreError) -> Store {
    try disk.openStore(file, checkpointPages: checkpointPages)
  }

  /// A store on a failed disk may not close, and is released.
  private func close() {
    do { try store.close() } catch { return }
  }

  var hasDisk: Bool { disk != nil }

  // MARK: Power

  /// Schedules a cut for the n-th change of the disk, if it has that many.
  mutating func schedulePowerCut(inChange change: Int64, outageMilliseconds: Int64?) {
    disk?.cutPower(inChange: UInt64(change))
    self.outageMilliseconds = outageMilliseconds
  }

  /// Whether the power failed during the last call: then it was not acknowledged, even if the
  /// commit succeeded.
  var hasLostPower: Bool { disk?.isOff == true }

  /// Cuts the power, applies the damage and opens the database again. Returns the problem found by
  /// SQLite's check of the file; nil if there is none.
  mutating func restart(_ damage: SimulatedDisk.Damage, seed: UInt64) throws -> String? {
    guard let disk else { return nil }
    disk.cutPower()
    close()
    endFaults()
    disk.reboot(damage, seed: seed)
    store = try Self.open(disk)
    return disk.integrityProblem(in: Self.file)
  }

  // MARK: Transient faults

  /// Fills the disk. Returns the number of the fault; nil without a disk.
  mutating func fill() -> Int? {
    guard let disk else { return nil }
    disk.capacityBytes = disk.usedBytes
    faults += 1
    return faults
  }

  /// Makes all changes of the disk fail. Returns the number of the fault; nil without a disk.
  mutating func fail() -> Int? {
    guard let disk else { return nil }
    disk.fail([.writes, .syncs, .truncations, .deletions], first: 1, count: .max / 2)
    faults += 1
    return faults
  }

  /// Returns whether this fault is the newest, whose end ends all.
  func isNewest(_ fault: Int) -> Bool { hasDisk && fault == faults }

  /// Ends transient faults.
  func endTransientFaults() {
    disk?.failNoMore()
    disk?.capacityBytes = nil
  }

  /// Ends all faults, and cancels scheduled power cuts.
  func endFaults() {
    endTransientFaults()
    disk?.keepPower()
  }

  /// Returns the kinds of transient faults that occurred since the last call.
  mutating func takeFaults() -> [Knob] {
    guard let counts = disk?.counts, let before = reported else { return [] }
    reported = counts
    var knobs: [Knob] = []
    if counts.refusedWrites > before.refusedWrites { knobs.append(.fullDisk) }
    if counts.failedWrites + counts.failedSyncs > before.failedWrites + before.failedSyncs {
      knobs.append(.failingDisk)
    }
    return knobs
  }

  // MARK: Copies

  var hasBackup: Bool { backup != nil }

  /// Copies the data for a restore: of a disk, every file in its current state.
  mutating func backUp() throws {
    backup = try disk.map { .image($0.image()) } ?? .store(store.copiedInMemory())
  }

  /// Replaces the data with the backup. Returns its previous contents; nil without a backup.
  mutating func restore() throws -> Store? {
    switch backup {
    case nil: return nil
    case .store(let kept):
      let lost = store
      store = try kept.copiedInMemory()
      return lost
    case .image(let image):
      guard let disk else { preconditionFailure("an image without a disk") }
      let lost = try store.copiedInMemory()
      close()
      disk.restore(image)
      store = try Self.open(disk)
      return lost
    }
  }

  /// Replaces the data with a copy of another node's, in memory.
  mutating func copy(from other: NodeStorage) throws { store = try other.store.copiedInMemory() }
}
