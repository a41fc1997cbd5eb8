internal import MusterCRDT
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// How far each report has come, as one reading of the replica sees it.
///
///     live values ─▶ their frames ─▶ (log, sequence) ─▶ who holds each log that far?
///                                                         ├─ peers that confirmed it here
///                                                         ├─ receipts of command devices
///                                                         ├─ their authors
///                                                         └─ this device
///
/// Revoked devices count neither among those that hold a report nor among all.
///
/// Nobody is believed on a sequence alone: the hash must be that of the frame held here, so that
/// neither another branch nor a claim about frames that are not held counts. Too little may be
/// shown, never too much.
struct DeliveryBook {
  /// Who holds a log through which sequence.
  private struct Holders {
    var devices: [DeviceID: UInt64] = [:]
    var command: [DeviceID: UInt64] = [:]
    /// When a peer confirmed it here.
    var moments: [DeviceID: Instant] = [:]
  }

  private let store: Store
  private let engine: SyncEngine
  private let local: LocalDevice
  private let commanders: [SignedCertificate]
  /// By certificate, those that are not revoked.
  private let members: [CertificateHash: DeviceID]
  private let now: Instant?
  private var holders: [LogID: Holders] = [:]

  /// - Parameter now: what ages are counted up to; nil where none are wanted.
  init(
    store: Store, engine: SyncEngine, local: LocalDevice, control: ControlPlane, now: Instant?
  ) {
    self.now = now
    members = Dictionary(
      control.admissions.map { ($0.signed.hash, $0.signed.certificate.device) }
        .filter { !control.isRevoked($0.1) }
    ) { first, _ in first }
    self.store = store
    self.engine = engine
    self.local = local
    commanders = control.commanders
  }

  /// Who holds every frame that the row's live values stand in.
  mutating func delivery(of row: RowState) throws(StoreError) -> Delivery {
    var frames: Set<Bytes16> = []
    for field in Field.allCases {
      for value in row.values(of: field) { frames.insert(value.dot.frame) }
    }
    var needed: [LogID: UInt64] = [:]
    for place in try store.places(ofFrames: frames.sorted()) {
      needed[place.log] = max(needed[place.log] ?? 0, place.sequence)
    }
    var devices: Set<DeviceID>?
    var command: Set<DeviceID>?
    var moments: [DeviceID: Instant] = [:]
    for (log, sequence) in needed {
      let holders = try holders(of: log)
      let reaches = { (through: UInt64) in through >= sequence }
      let these = Set(holders.devices.filter { reaches($0.value) }.keys)
      let those = Set(holders.command.filter { reaches($0.value) }.keys)
      devices = devices?.intersection(these) ?? these
      command = command?.intersection(those) ?? those
      for (device, moment) in holders.moments where these.contains(device) {
        moments[device] = min(moments[device] ?? moment, moment)
      }
    }
    let all = Set(members.values).union([local.device])
    let holding = (devices ?? []).intersection(all).union([local.device])
    let newest = moments.filter { holding.contains($0.key) }.values.max()
    return Delivery(
      devices: holding.count, total: all.count,
      commandPost: local.author.role == .command || command?.isEmpty == false,
      ageSeconds: now.flatMap { now in
        newest.map { max(0, now.milliseconds(since: $0) / 1000) }
      })
  }

  private mutating func holders(of log: LogID) throws(StoreError) -> Holders {
    if let known = holders[log] { return known }
    var found = Holders()
    for claim in engine.confirmations(of: log) {
      #if Canary
        if Canary.believeDelivery.isPlanted {
          found.devices[claim.device] = .max
          continue
        }
      #endif
      let held = try hash(of: log, at: claim.sequence)
      guard held?.raw.prefix.high == claim.hashPrefix else { continue }
      found.devices[claim.device] = claim.sequence
      found.moments[claim.device] = claim.moment
    }
    if let author = engine.currentAuthor(of: log).flatMap({ members[$0] }),
      let head = engine.head(of: log)
    {
      found.devices[author] = head.sequence
    }
    for commander in commanders {
      let topic = RecordTopic(
        operation: local.operation, certificate: commander.hash, receiptFor: log)
      guard let head = engine.record(topic)?.receipt?.head,
        try hash(of: log, at: head.sequence) == head.hash
      else { continue }
      let device = commander.certificate.device
      found.command[device] = max(found.command[device] ?? 0, head.sequence)
      found.devices[device] = max(found.devices[device] ?? 0, head.sequence)
    }
    holders[log] = found
    return found
  }

  private func hash(of log: LogID, at sequence: UInt64) throws(StoreError) -> FrameHash? {
    guard let head = engine.head(of: log), sequence <= head.sequence else { return nil }
    if sequence == head.sequence { return head.hash }
    return try store.hash(of: FramePlace(log: log, sequence: sequence))
  }
}
