internal import MusterModel
internal import MusterStore

/// Tests a replica's disk at point after point: the same story each time, with one fault.
///
/// - A power cut in the n-th change of the disk, with each kind of damage, then a restart.
/// - A read, a write or a sync that fails, or a full disk, at the n-th operation; then recovery,
///   and at the end a power cut.
///
/// After each: SQLite's integrity check passes, every acknowledged write and every frame
/// acknowledged to a peer is there, chains and signatures are valid, the view matches the log, and
/// both devices converge.
public struct DiskTrials {
  private let seed: UInt64
  private let prelude: DiskPrelude
  private let whole: Extent

  /// The results of the trials of one kind.
  public struct Row: Sendable {
    /// The fault.
    public let name: String
    /// The number of trials.
    public internal(set) var trials = 0
    /// In how many of them the fault occurred.
    public internal(set) var fired = 0
    /// Acknowledged writes of all trials.
    public internal(set) var acknowledged = 0
    /// Calls that failed because of the disk.
    public internal(set) var failures = 0
    /// Violations, each with its point.
    public internal(set) var violations: [String] = []

    init(_ name: String) { self.name = name }
  }

  /// A fault that is tested at many points.
  public enum Fault: String, CaseIterable, Sendable {
    case failedReads = "failed reads"
    case failedWrites = "failed writes"
    case failedSyncs = "failed syncs"
    case fullDisk = "full disk"
  }

  /// The number of operations of the story on a reliable disk.
  private struct Extent {
    var counts: SimulatedDisk.Counts
    var bytes: UInt64
  }

  /// Runs the story once on a reliable disk to measure its length.
  public init(seed: UInt64) throws {
    self.seed = seed
    prelude = try DiskPrelude(seed: seed)
    var story = try DiskStory(prelude, seed: seed)
    try story.run()
    whole = Extent(counts: story.disk.counts, bytes: story.disk.usedBytes)
    try story.settle()
    try story.finish()
    precondition(story.ben.violations.isEmpty, "on a sound disk: \(story.ben.violations)")
  }

  /// The number of points at which power can be cut.
  public var changes: Int { Int(whole.counts.changes) }

  // MARK: Power

  /// Cuts the power at this many points, spread evenly over the story.
  public func cutPower(
    points: Int, damage: SimulatedDisk.Damage, progress: (Int) -> Void
  ) throws -> Row {
    var row = Row("power cut, \(damage.rawValue)")
    for point in 0..<points {
      let change = 1 + whole.counts.changes * UInt64(point) / UInt64(points)
      var story = try DiskStory(prelude, seed: seed)
      story.disk.cutPower(inChange: change)
      do {
        try story.run()
      } catch is TestedDevice.PowerCut {
        row.fired += 1
      }
      try story.switchOff()
      story.disk.reboot(damage, seed: seed &+ UInt64(point))
      try conclude(&story, in: &row, at: "change \(change)")
      progress(row.trials)
    }
    return row
  }

  // MARK: Faults

  /// Makes one kind of operation fail at this many points, spread evenly over the story.
  public func fail(_ fault: Fault, points: Int, progress: (Int) -> Void) throws -> Row {
    var row = Row(fault.rawValue)
    for point in 0..<points {
      var story = try DiskStory(prelude, seed: seed)
      let before = story.disk.counts
      let place = order(fault, at: point, of: points, from: story.disk)
      try run(&story, fault)
      if story.ben.failures > 0 || story.disk.counts.firings > before.firings { row.fired += 1 }
      story.disk.failNoMore()
      story.disk.capacityBytes = nil
      try story.settle()
      story.disk.cutPower()
      try story.switchOff()
      let kinds = SimulatedDisk.Damage.allCases
      story.disk.reboot(kinds[point % kinds.count], seed: seed &+ UInt64(point))
      try conclude(&story, in: &row, at: place)
      progress(row.trials)
    }
    return row
  }

  /// Schedules the fault, and returns a description of its point.
  private func order(
    _ fault: Fault, at point: Int, of points: Int, from disk: SimulatedDisk
  ) -> String {
    func place(_ total: UInt64) -> UInt64 { 1 + total * UInt64(point) / UInt64(points) }
    // One transient failure, several, and a longer outage of the disk.
    let count = [1, 3, 30][point % 3] as UInt64
    switch fault {
    case .failedReads: disk.fail(.reads, first: place(whole.counts.reads), count: count)
    case .failedWrites: disk.fail(.writes, first: place(whole.counts.writes), count: count)
    case .failedSyncs: disk.fail(.syncs, first: place(whole.counts.syncs), count: count)
    case .fullDisk:
      disk.capacityBytes = place(whole.bytes)
      return "\(place(whole.bytes)) bytes"
    }
    return "point \(point) of \(points), \(count) in a row"
  }

  /// Runs the story and a read after each step. A full disk has room again later.
  private func run(_ story: inout DiskStory, _ fault: Fault) throws {
    try story.switchOn()
    var stepsFull = 0
    for _ in 0..<DiskStory.steps {
      try story.runStep()
      if fault != .failedReads { try story.read() }
      guard story.disk.counts.refusedWrites > 0 else { continue }
      stepsFull += 1
      if stepsFull == 12 { story.disk.capacityBytes = nil }
    }
  }

  private func conclude(_ story: inout DiskStory, in row: inout Row, at place: String) throws {
    row.trials += 1
    do {
      try story.settle()
      try story.finish()
    } catch let error as StoreError {
      // A reliable disk that cannot be read has lost more than it may.
      row.violations.append("\(row.name), \(place): \(error)")
      return
    }
    row.acknowledged += story.ben.ledger.acknowledgedWrites
    row.failures += story.ben.failures
    row.violations += story.ben.violations.map { "\(row.name), \(place): \($0)" }
  }
}

extension SimulatedDisk.Counts {
  /// The number of injected failures.
  var firings: UInt64 { failedReads + failedWrites + failedSyncs + failedOthers + refusedWrites }
}
