import MusterModel
import MusterStore

/// Disks that lose power, fill up and fail. Only who has such a fault coming has one: all others'
/// databases are in memory, which is quicker.
///
///     power_cut ─▶ the n-th write or sync ─▶ the call fails ─▶ the laptop is off, its disk damaged
///     disk_full, disk_fails ─▶ commits fail for a while ─▶ nothing is acknowledged meanwhile
extension World {
  private static let file = "node.db"
  /// Few, so that checkpoints are met as well.
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

  /// The cut comes when the disk is next that busy, if it ever is.
  func orderPowerCut(of node: SimulatedNode, inChange change: Int64, outage: Int64?) {
    node.disk?.cutPower(inChange: UInt64(change))
    node.outageMilliseconds = outage
  }

  /// Whether the call that has just ended was ended by the power: nobody was answered then, even
  /// where the commit had gone well.
  func hasLostPower(_ node: SimulatedNode) throws -> Bool {
    guard let disk = node.disk, disk.isOff else { return false }
    tally.fire(.powerCut)
    try crash(node)
    wakeLater(node, after: node.outageMilliseconds)
    return true
  }

  /// What a laptop finds on its disk when it is switched on again.
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

  /// What cannot be closed on a dead disk is let go of.
  private func close(_ store: Store) {
    do { try store.close() } catch { return }
  }

  // MARK: Faults that pass

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

  /// A fault that came later ends later.
  func mend(_ node: SimulatedNode, fault: Int) {
    guard node.diskFaults == fault, let disk = node.disk else { return }
    noteFirings(of: node)
    disk.failNoMore()
    disk.capacityBytes = nil
  }

  /// The end of all faults, and of cuts that were ordered and never came.
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

  /// What a restore would bring back: of a disk every file as it stands, in the middle of things.
  func backUp(_ node: SimulatedNode) throws {
    node.backup = try node.disk.map { .image($0.image()) } ?? .store(node.store.copiedInMemory())
  }

  /// Puts a backup in the place of a disk, and gives what was there before.
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
