internal import MusterModel
internal import MusterStore
internal import MusterSync

/// The devices and their logs: forks, clones, limits that they have reached, and frames after
/// cut-offs.
struct DeviceReader {
  let context: ReadContext
  let engine: SyncEngine

  /// Returns the devices that are not revoked and fill a table here, by device, then by table.
  ///
  /// - Parameter excess: by table and device, how much is not held.
  func boundsReached(excess: [BoundedTable: [DeviceID: UInt64]]) throws -> [BoundSummary] {
    var reached: [DeviceID: [BoundedTable: UInt64]] = [:]
    for entry in engine.boundsReached {
      reached[entry.device, default: [:]][entry.table, default: 0] += entry.refusals
    }
    for issuer in context.control.fullIssuers {
      guard let device = context.control.author(of: issuer)?.device,
        !context.control.isRevoked(device)
      else {
        continue
      }
      reached[device, default: [:]][.certificates, default: 0] += 1
    }
    for (table, devices) in excess {
      for (device, count) in devices where !context.control.isRevoked(device) {
        reached[device, default: [:]][table, default: 0] += count
      }
    }
    return try reached.sorted { $0.key < $1.key }.flatMap { device, tables in
      let callsign = try context.callsign(of: device)
      return tables.sorted { $0.key < $1.key }.map {
        BoundSummary(device: device, callsign: callsign, bound: $0.key, refusals: $0.value)
      }
    }
  }

  /// Revoked devices that have requested readmission since the start.
  func refused(_ readmissions: ReadmissionLog) throws -> [(device: DeviceID, callsign: String)] {
    try readmissions.devices.filter { context.control.isRevoked($0) }
      .map { ($0, try context.callsign(of: $0)) }
  }

  /// Returns the devices that are in use twice, by their own reports or else by two records with
  /// one order, until they are revoked.
  func clones() throws(StoreError) -> [CloneSummary] {
    var clones: [CloneSummary] = []
    for record in engine.cloneRecords {
      guard let report = record.clone, let author = context.control.author(of: record.certificate),
        !context.control.isRevoked(author.device)
      else { continue }
      clones.append(
        CloneSummary(
          device: author.device, callsign: try context.callsign(of: author.user),
          life: IncarnationName(record.order), other: report.other, noticedAt: report.noticedAt))
    }
    for proof in context.control.membership.twinProofs {
      guard let author = context.control.author(of: proof.certificate),
        !context.control.isRevoked(author.device),
        !clones.contains(where: { $0.device == author.device })
      else { continue }
      let life = IncarnationName(proof.order)
      clones.append(
        CloneSummary(
          device: author.device, callsign: try context.callsign(of: author.user),
          life: life, other: life, noticedAt: nil))
    }
    // Of one device the newest report first; what records prove stands alone.
    let unknown = Timestamp(milliseconds: .min)
    return clones.sorted {
      ($0.device, $1.noticedAt ?? unknown) < ($1.device, $0.noticedAt ?? unknown)
    }
  }

  /// The epoch that this device uses for writing; nil without a key.
  func epoch(_ id: EpochID?) throws -> EpochSummary? {
    guard let id else { return nil }
    guard let epoch = context.control.epochs.best(id) else {
      return EpochSummary(id: id, generation: 0, callsign: "", isOwn: false)
    }
    let author = context.control.author(of: epoch.certificate)
    return EpochSummary(
      id: id, generation: epoch.announcement.generation,
      callsign: try author.map { try context.callsign(of: $0.user) } ?? "root",
      isOwn: author?.device == context.local.device)
  }

  func forks(_ callsigns: [DeviceID: String]) throws(StoreError) -> [ForkSummary] {
    guard context.control.hasForks else { return [] }
    let logs = try context.store.logs()
    return logs.filter { $0.base == nil && $0.isParted }.map { own in
      let log = own.head.log
      let device = context.control.author(of: own.opening.certificate)?.device
      return ForkSummary(
        device: device ?? DeviceID(raw: .zero),
        callsign: device.map { callsigns[$0] ?? $0.short } ?? "the root", log: log,
        lane: own.opening.lane, place: own.head.sequence + 1,
        branches: logs.count { $0.log == log && !$0.isParted })
    }
  }

  func framesCut() throws(StoreError) -> Int {
    guard !context.control.state.revocations.isEmpty || context.control.hasForks else { return 0 }
    return try context.store.logs().reduce(0) { $0 + quarantinedFrames(of: $1) }
  }

  /// Counts as the quarantine lists: no openings, control frames or released frames.
  private func quarantinedFrames(of log: LogSummary) -> Int {
    let cut = context.control.framesCut(of: log)
    guard log.opening.lane != .control, cut > 0 else { return 0 }
    let first = max(log.first, log.head.sequence + 1 - cut, 1)
    guard first <= log.head.sequence else { return 0 }
    let released = context.control.state.released.filter {
      $0.log == log.log && $0.sequence >= first && $0.sequence <= log.head.sequence
    }
    return max(0, Int(log.head.sequence + 1 - first) - released.count)
  }
}
