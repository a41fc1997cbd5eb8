internal import CCrashVFS
public import MusterStore

/// A laptop's disk that can lose power, fill up and fail, for real SQLite databases.
///
///     Store ──▶ SQLite ──▶ CCrashVFS: what is read now, what was synced, what was written since
///     cutPower(…) ──▶ every call fails ──▶ reboot(…): what a disk may have kept
///
/// - Deterministic: the same calls and seeds give the same bytes and the same faults.
/// - What was synced survives; of what was written since, anything may have (`Damage`).
/// - Every fault is counted (`counts`), so that a run can show that it happened.
///
/// The stores that it opened MUST be closed before the disk is let go of.
public final class SimulatedDisk {
  private let disk: OpaquePointer
  private let vfsName: String

  /// What a power cut leaves of what was written and not synced.
  public enum Damage: String, CaseIterable, Sendable {
    /// All of it is lost.
    case losesUnsynced
    /// Each sector of 512 bytes is kept or lost by itself: writes are torn and reordered.
    case keepsSomeSectors
    /// The first writes are kept, in order; of the last a part, its last sector garbled.
    case tearsTheLastWrite
  }

  /// What can be made to fail.
  public struct Operations: OptionSet, Hashable, Sendable {
    /// The mask that the disk knows.
    public let rawValue: UInt32
    /// For the constants below.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Reading contents.
    public static let reads = Operations(rawValue: UInt32(CRASH_READ))
    /// Writing: half of what fails has written a part.
    public static let writes = Operations(rawValue: UInt32(CRASH_WRITE))
    /// Syncing: nobody knows what was kept, and a later sync does not write it again.
    public static let syncs = Operations(rawValue: UInt32(CRASH_SYNC))
    /// Making a file shorter.
    public static let truncations = Operations(rawValue: UInt32(CRASH_TRUNCATE))
    /// Deleting a file.
    public static let deletions = Operations(rawValue: UInt32(CRASH_DELETE))
  }

  /// How often each thing happened since the disk was made.
  public struct Counts: Hashable, Sendable {
    /// Reads of contents.
    public var reads: UInt64
    /// Writes, syncs, truncations and deletions: the moments at which power can be cut.
    public var changes: UInt64
    /// Of the changes, those that write.
    public var writes: UInt64
    /// Of the changes, those that sync.
    public var syncs: UInt64
    /// How often the power went.
    public var powerCuts: UInt64
    /// Sectors that were not synced, and gone after a cut.
    public var sectorsLost: UInt64
    /// Sectors that were not synced, and there after a cut that lost others.
    public var sectorsKept: UInt64
    /// Writes of which a cut left a part.
    public var writesTorn: UInt64
    /// Files that a cut took because their names were not synced.
    public var filesLost: UInt64
    /// Reads that failed.
    public var failedReads: UInt64
    /// Writes that failed.
    public var failedWrites: UInt64
    /// Syncs that failed.
    public var failedSyncs: UInt64
    /// Truncations and deletions that failed.
    public var failedOthers: UInt64
    /// Writes for which there was no room.
    public var refusedWrites: UInt64
  }

  /// The files of a disk at one moment: a backup, or the disk of a cloned laptop.
  public struct Image: Hashable, Sendable {
    var files: [File]

    struct File: Hashable, Sendable {
      var name: String
      var bytes: [UInt8]
    }
  }

  /// An empty disk.
  ///
  /// - Parameter seed: decides what failed writes and syncs leave behind.
  public init(seed: UInt64) {
    guard let disk = crash_disk_create(seed) else { preconditionFailure("no memory for a disk") }
    self.disk = disk
    vfsName = String(cString: crash_disk_vfs_name(disk))
  }

  deinit {
    // SQLite would go on calling it: where an error cut a run short, it ends with the process.
    guard crash_disk_open_files(disk) == 0 else { return }
    crash_disk_destroy(disk)
  }

  // MARK: Databases

  /// Opens a database of the disk, or makes it.
  ///
  /// - Parameter checkpointPages: how many pages of the write-ahead log bring about a checkpoint;
  ///   with few, a short run has many.
  public func openStore(
    _ name: String, checkpointPages: Int
  ) throws(StoreError) -> Store {
    try Store.open(name: name, vfs: vfsName, checkpointPages: checkpointPages)
  }

  /// What SQLite's own check of every page and index says; nil when all is well.
  public func integrityProblem(in name: String) -> String? {
    var answer = [CChar](repeating: 0, count: 1024)
    let code = crash_disk_check_integrity(disk, name, &answer, answer.count)
    let bytes = answer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
    let text = String(decoding: bytes, as: UTF8.self)
    return code == 0 && text == "ok" ? nil : "code \(code): \(text)"
  }

  // MARK: Power

  /// Cuts the power in the n-th change from now, 1 being the next.
  public func cutPower(inChange change: UInt64) {
    precondition(change > 0, "no change is the 0th")
    crash_disk_cut_at(disk, change)
  }

  /// Takes the order back that `cutPower(inChange:)` gave.
  public func keepPower() { crash_disk_cut_at(disk, 0) }

  /// Cuts the power now.
  public func cutPower() { crash_disk_cut(disk) }

  /// Whether the power is off: every call fails.
  public var isOff: Bool { crash_disk_is_off(disk) != 0 }

  /// Does the damage and puts the power on; stores that are still open fail for ever.
  public func reboot(_ damage: Damage, seed: UInt64) {
    let kind =
      switch damage {
      case .losesUnsynced: CRASH_LOSES_UNSYNCED
      case .keepsSomeSectors: CRASH_KEEPS_SOME_SECTORS
      case .tearsTheLastWrite: CRASH_TEARS_THE_LAST_WRITE
      }
    crash_disk_reboot(disk, kind, seed)
  }

  // MARK: Faults

  /// Makes operations fail: the first-th of these kinds from now, 1 being the next, and those after
  /// it, `count` in all.
  public func fail(_ operations: Operations, first: UInt64, count: UInt64) {
    crash_disk_fail(disk, operations.rawValue, first, count)
  }

  /// Takes the order back that `fail` gave.
  public func failNoMore() { crash_disk_fail(disk, 0, 0, 0) }

  /// Room for so many bytes in all files together; nil for as many as there are.
  public var capacityBytes: UInt64? {
    didSet { crash_disk_set_capacity(disk, capacityBytes ?? .max) }
  }

  /// What all files take now.
  public var usedBytes: UInt64 { crash_disk_used_bytes(disk) }

  /// How often each thing happened.
  public var counts: Counts {
    let counts = crash_disk_counts(disk)
    return Counts(
      reads: counts.reads, changes: counts.changes, writes: counts.writes, syncs: counts.syncs,
      powerCuts: counts.power_cuts, sectorsLost: counts.sectors_lost,
      sectorsKept: counts.sectors_kept, writesTorn: counts.writes_torn,
      filesLost: counts.files_lost, failedReads: counts.failed_reads,
      failedWrites: counts.failed_writes, failedSyncs: counts.failed_syncs,
      failedOthers: counts.failed_others, refusedWrites: counts.refused_writes)
  }

  // MARK: Images

  /// What a copy of the disk holds that is made now, databases in use included.
  public func image() -> Image {
    let files = (0..<crash_disk_file_count(disk)).map { index in
      let bytes = [UInt8](unsafeUninitializedCapacity: crash_disk_file_size(disk, index)) {
        buffer, count in
        if let start = buffer.baseAddress { crash_disk_copy_file(disk, index, start) }
        count = buffer.count
      }
      return Image.File(name: String(cString: crash_disk_file_name(disk, index)), bytes: bytes)
    }
    return Image(files: files)
  }

  /// Puts an image in the place of all that is there; stores that are still open fail for ever.
  public func restore(_ image: Image) {
    crash_disk_erase(disk)
    for file in image.files {
      crash_disk_put_file(disk, file.name, file.bytes, file.bytes.count)
    }
  }
}
