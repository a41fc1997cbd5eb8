import MusterModel
import MusterStore

/// Disks that lose power, fill up and fail. Only nodes with such a fault have one; the others'
/// databases are in memory, which is faster.
///
///     power_cut ─▶ the n-th write or sync ─▶ the call fails ─▶ the node is off, its disk damaged
///     disk_full, disk_fails ─▶ commits fail for a while ─▶ nothing is acknowledged meanwhile
extension World {
  private static let file = "node.db"
  /// Small, so that checkpoints are tested too.
  private static let checkpointPages = 60

  func makeStore(
    for plan: NodePlan
  ) throws(StoreError) -> (store: Store, disk: SimulatedDisk?) {
    guard namesWithDisks.contains(plan.name) else { return (try Store.inMemory(), nil) }
    var seeds = RandomStream(seed: seed, named: "disk of \(plan.name)")
    let disk = SimulatedDisk(seed: seeds.next())
    return (try openStore(on: disk), disk)
  }

  private func openStore(on disk: SimulatedDisk) throws(StoreError) -> Store {
    try disk.openStore(Self.file, checkpointPages: Self.checkpointPages)
  }

  // MARK: Power

  /// Schedules a cut for the n-th change of the disk, if it has that many.
  func orderPowerCut(of node: SimulatedNode, inChange change: Int64, outage: Int64?) {
    node.disk?.cutPower(inChange: UInt64(change))
    node.outageMilliseconds = outage
  }

  /// Returns whether the power failed during the last call: then it was not acknowledged, even if
  /// the commit succeeded.
  func hasLostPower(_ node: SimulatedNode) throws -> Bool {
    guard let disk = node.disk, disk.isOff else { return false }
    tally.fire(.powerCut)
    try crash(node)
    wakeLater(node, after: node.outageMilliseconds)
    return true
  }

  /// Applies the damage that a node finds when it is switched on again.
  func damage(_ disk: SimulatedDisk, of node: SimulatedNode) throws {
    disk.cutPower()
    close(node.store)
    mend(disk)
    let kinds = SimulatedDisk.Damage.allCases
    disk.reboot(kinds[Int(random.below(Int64(kinds.count)))], seed: random.next())
    node.store = try openStore(on: disk)
    if let problem = disk.integrityProblem(in: Self.file) {
      report("a database survives a power cut", "\(node.name): \(problem)")
    }
  }

  /// A store on a failed disk may not close, and is released.
  private func close(_ store: Store) {
    do { try store.close() } catch { return }
  }

  // MARK: Transient faults

  func fill(_ node: SimulatedNode, milliseconds: Int64) {
    guard let disk = node.disk else { return }
    disk.capacityBytes = disk.usedBytes
    mendLater(node, after: milliseconds)
  }

  func breakDisk(of node: SimulatedNode, milliseconds: Int64) {
    guard let disk = node.disk else { return }
    disk.fail([.writes, .syncs, .truncations, .deletions], first: 1, count: .max / 2)
    mendLater(node, after: milliseconds)
  }

  private func mendLater(_ node: SimulatedNode, after milliseconds: Int64) {
    node.diskFaults += 1
    queue.push(
      .mend(node.index, fault: node.diskFaults), at: now.advanced(byMilliseconds: milliseconds))
  }

  /// Ends a fault, unless a later one is active.
  func mend(_ node: SimulatedNode, fault: Int) {
    guard node.diskFaults == fault, let disk = node.disk else { return }
    noteFirings(of: node)
    disk.failNoMore()
    disk.capacityBytes = nil
  }

  /// Ends all faults, and cancels scheduled power cuts.
  func mendDisks() {
    for node in nodes {
      guard let disk = node.disk else { continue }
      noteFirings(of: node)
      mend(disk)
    }
  }

  private func mend(_ disk: SimulatedDisk) {
    disk.failNoMore()
    disk.capacityBytes = nil
    disk.keepPower()
  }

  private func noteFirings(of node: SimulatedNode) {
    guard let counts = node.disk?.counts else { return }
    let (full, failed) = (counts.refusedWrites, counts.failedWrites + counts.failedSyncs)
    if full > node.refusedWrites { tally.fire(.fullDisk) }
    if failed > node.failedWrites { tally.fire(.failingDisk) }
    (node.refusedWrites, node.failedWrites) = (full, failed)
  }

  // MARK: Copies

  /// Copies the data for a restore: of a disk, every file in its current state.
  func backUp(_ node: SimulatedNode) throws {
    node.backup = try node.disk.map { .image($0.image()) } ?? .store(node.store.copiedInMemory())
  }

  /// Replaces a disk with a backup, and returns its previous contents.
  func putBack(_ backup: SimulatedNode.Backup, on node: SimulatedNode) throws -> Store {
    switch backup {
    case .store(let kept):
      let lost = node.store
      node.store = try kept.copiedInMemory()
      return lost
    case .image(let image):
      guard let disk = node.disk else { preconditionFailure("an image without a disk") }
      let lost = try node.store.copiedInMemory()
      close(node.store)
      disk.restore(image)
      node.store = try openStore(on: disk)
      return lost
    }
  }
}
