internal import CCrashVFS
public import MusterStore

/// A simulated disk that can lose power, fill up and fail, for real SQLite databases.
///
///     Store ──▶ SQLite ──▶ CCrashVFS: current contents, synced contents, writes since
///     cutPower(…) ──▶ every call fails ──▶ reboot(…): what a disk may have kept
///
/// - Deterministic: the same calls and seeds give the same bytes and the same faults.
/// - Synced data survives; any subset of later writes may survive (`Damage`).
/// - Every fault is counted (`counts`), so that a run can show that it occurred.
///
/// The stores that it opened MUST be closed before the disk is released.
public final class SimulatedDisk {
  private let disk: OpaquePointer
  private let vfsName: String
  /// The files of blobs, which are synced as they are written.
  private let blobs = BlobMemory()

  /// What a power cut leaves of unsynced writes.
  public enum Damage: String, CaseIterable, Sendable {
    /// All of them are lost.
    case losesUnsynced
    /// Each sector of 512 bytes is kept or lost independently: writes are torn and reordered.
    case keepsSomeSectors
    /// The first writes are kept, in order; of the last a part, its last sector garbled.
    case tearsTheLastWrite
  }

  /// The operations that can be made to fail.
  public struct Operations: OptionSet, Hashable, Sendable {
    /// The mask of the VFS.
    public let rawValue: UInt32
    /// Creates a set; for the constants below.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Reading contents.
    public static let reads = Operations(rawValue: UInt32(CRASH_READ))
    /// Writing: half of what fails has written a part.
    public static let writes = Operations(rawValue: UInt32(CRASH_WRITE))
    /// Syncing: what was kept is unknown, and a later sync does not write it again.
    public static let syncs = Operations(rawValue: UInt32(CRASH_SYNC))
    /// Truncating a file.
    public static let truncations = Operations(rawValue: UInt32(CRASH_TRUNCATE))
    /// Deleting a file.
    public static let deletions = Operations(rawValue: UInt32(CRASH_DELETE))
  }

  /// Counts of operations and faults since the disk was created.
  public struct Counts: Hashable, Sendable {
    /// Reads of contents.
    public var reads: UInt64
    /// Writes, syncs, truncations and deletions: the points at which power can be cut.
    public var changes: UInt64
    /// Of the changes, those that write.
    public var writes: UInt64
    /// Of the changes, those that sync.
    public var syncs: UInt64
    /// Power cuts.
    public var powerCuts: UInt64
    /// Unsynced sectors lost in a cut.
    public var sectorsLost: UInt64
    /// Unsynced sectors kept in a cut that lost others.
    public var sectorsKept: UInt64
    /// Writes partly kept in a cut.
    public var writesTorn: UInt64
    /// Files lost in a cut because their directory entries were not synced.
    public var filesLost: UInt64
    /// Reads that failed.
    public var failedReads: UInt64
    /// Writes that failed.
    public var failedWrites: UInt64
    /// Syncs that failed.
    public var failedSyncs: UInt64
    /// Truncations and deletions that failed.
    public var failedOthers: UInt64
    /// Writes refused for lack of room.
    public var refusedWrites: UInt64
  }

  /// The files of a disk at one moment: a backup, or the disk of a cloned device.
  public struct Image: Hashable, Sendable {
    var files: [File]

    struct File: Hashable, Sendable {
      var name: String
      var bytes: [UInt8]
    }
  }

  /// Creates an empty disk.
  ///
  /// - Parameter seed: determines what failed writes and syncs leave behind.
  public init(seed: UInt64) {
    guard let disk = crash_disk_create(seed) else { preconditionFailure("no memory for a disk") }
    self.disk = disk
    vfsName = String(cString: crash_disk_vfs_name(disk))
  }

  deinit {
    // SQLite would continue to call it: after an error that ended a run early, it is leaked.
    guard crash_disk_open_files(disk) == 0 else { return }
    crash_disk_destroy(disk)
  }

  // MARK: Databases

  /// Opens or creates a database of the disk.
  ///
  /// - Parameter checkpointPages: how many pages of the write-ahead log trigger a checkpoint; with
  ///   few, a short run has many.
  public func openStore(
    _ name: String, checkpointPages: Int
  ) throws(StoreError) -> Store {
    try Store.open(
      name: name, vfs: vfsName, checkpointPages: checkpointPages, blobs: blobs)
  }

  /// Returns the problem found by SQLite's check of every page and index; nil if there is none.
  public func integrityProblem(in name: String) -> String? {
    var answer = [CChar](repeating: 0, count: 1024)
    let code = crash_disk_check_integrity(disk, name, &answer, answer.count)
    let bytes = answer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
    let text = String(decoding: bytes, as: UTF8.self)
    return code == 0 && text == "ok" ? nil : "code \(code): \(text)"
  }

  // MARK: Power

  /// Schedules a power cut in the n-th change from now, 1 being the next.
  public func cutPower(inChange change: UInt64) {
    precondition(change > 0, "no change is the 0th")
    crash_disk_cut_at(disk, change)
  }

  /// Cancels the cut that `cutPower(inChange:)` scheduled.
  public func keepPower() { crash_disk_cut_at(disk, 0) }

  /// Cuts the power now.
  public func cutPower() { crash_disk_cut(disk) }

  /// Whether the power is off: every call fails.
  public var isOff: Bool { crash_disk_is_off(disk) != 0 }

  /// Applies the damage and restores the power. Stores that are still open fail permanently.
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

  /// Schedules failures: `count` consecutive operations of these kinds, from the `first` one from
  /// now, 1 being the next.
  public func fail(_ operations: Operations, first: UInt64, count: UInt64) {
    crash_disk_fail(disk, operations.rawValue, first, count)
  }

  /// Cancels the failures that `fail` scheduled.
  public func failNoMore() { crash_disk_fail(disk, 0, 0, 0) }

  /// The capacity for all files together, in bytes; nil for unlimited.
  public var capacityBytes: UInt64? {
    didSet { crash_disk_set_capacity(disk, capacityBytes ?? .max) }
  }

  /// The current size of all files.
  public var usedBytes: UInt64 { crash_disk_used_bytes(disk) }

  /// The counts so far.
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

  /// Returns the contents of a copy made now, including open databases.
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

  /// Replaces the contents with an image. Stores that are still open fail permanently.
  public func restore(_ image: Image) {
    crash_disk_erase(disk)
    for file in image.files {
      crash_disk_put_file(disk, file.name, file.bytes, file.bytes.count)
    }
  }
}
