internal import MusterCRDT
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// The delivery status of each report, at one reading of the replica.
///
///     live values ─▶ their frames ─▶ (log, sequence) ─▶ which devices hold the log that far?
///                                                         ├─ peers that confirmed it here
///                                                         ├─ receipts of command and archives
///                                                         ├─ their authors
///                                                         └─ this device
///
/// Revoked devices count neither as holders of a report nor in the total.
///
/// A claimed sequence alone does not count: the hash must be that of the frame held here, so that
/// neither another branch nor a claim about frames that are not held counts. The figure may be too
/// low, never too high.
struct DeliveryTracker {
  /// The devices that hold a log, each up to a sequence.
  private struct Holders {
    var devices: [DeviceID: UInt64] = [:]
    /// Those that signed receipts.
    var receipts: [DeviceID: UInt64] = [:]
    /// When a peer confirmed it here.
    var moments: [DeviceID: Instant] = [:]
  }

  private let store: Store
  private let engine: SyncEngine
  private let local: LocalDevice
  /// The devices that sign receipts.
  private let keepers: [SignedCertificate]
  /// The devices that are not revoked, by certificate.
  private let members: [CertificateHash: DeviceID]
  private let now: Instant?
  private var holders: [LogID: Holders] = [:]
  /// The certificate of each log's author who holds it.
  private lazy var authors = engine.currentAuthors()

  /// - Parameter now: the end of the ages; nil if ages are not needed.
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
    keepers = control.keepers
  }

  /// Returns the devices that hold every frame of the row's live values.
  mutating func delivery(of row: RowState) throws(StoreError) -> Delivery {
    var frames: Set<Bytes16> = []
    for field in Field.allCases {
      for value in row.values(of: field) { frames.insert(value.dot.frame) }
    }
    var needed: [LogID: UInt64] = [:]
    for place in try store.positions(ofFrames: frames.sorted()) {
      needed[place.log] = max(needed[place.log] ?? 0, place.sequence)
    }
    return try delivery(through: needed)
  }

  /// Returns the devices that hold a frame.
  mutating func delivery(ofFrame frame: Bytes16) throws(StoreError) -> Delivery {
    let places = try store.positions(ofFrames: [frame])
    return try delivery(
      through: Dictionary(places.map { ($0.log, $0.sequence) }, uniquingKeysWith: max))
  }

  /// Who holds each of these logs through a sequence.
  mutating func delivery(through needed: [LogID: UInt64]) throws(StoreError) -> Delivery {
    var devices: Set<DeviceID>?
    var receipted: Set<DeviceID>?
    var moments: [DeviceID: Instant] = [:]
    for (log, sequence) in needed {
      let holders = try holders(of: log)
      let reaches = { (through: UInt64) in through >= sequence }
      let these = Set(holders.devices.filter { reaches($0.value) }.keys)
      let those = Set(holders.receipts.filter { reaches($0.value) }.keys)
      devices = devices?.intersection(these) ?? these
      receipted = receipted?.intersection(those) ?? those
      for (device, moment) in holders.moments where these.contains(device) {
        moments[device] = min(moments[device] ?? moment, moment)
      }
    }
    let all = Set(members.values).union([local.device])
    let holding = (devices ?? []).intersection(all).union([local.device])
    let newest = moments.filter { holding.contains($0.key) }.values.max()
    let roles =
      keepers.map(\.certificate).filter { receipted?.contains($0.device) == true }
      .map(\.role) + [local.author.role]
    return Delivery(
      devices: holding.count, total: all.count, commandPost: roles.contains(.command),
      archive: roles.contains(.archive),
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
    if let author = authors[log].flatMap({ members[$0] }),
      let head = engine.head(of: log)
    {
      found.devices[author] = head.sequence
    }
    for keeper in keepers {
      let topic = RecordTopic(
        operation: local.operation, certificate: keeper.hash, receiptFor: log)
      guard let head = engine.record(topic)?.receipt?.head,
        try hash(of: log, at: head.sequence) == head.hash
      else { continue }
      let device = keeper.certificate.device
      found.receipts[device] = max(found.receipts[device] ?? 0, head.sequence)
      found.devices[device] = max(found.devices[device] ?? 0, head.sequence)
    }
    holders[log] = found
    return found
  }

  private func hash(of log: LogID, at sequence: UInt64) throws(StoreError) -> FrameHash? {
    guard let head = engine.head(of: log), sequence <= head.sequence else { return nil }
    if sequence == head.sequence { return head.hash }
    return try store.hash(of: FramePosition(log: log, sequence: sequence))
  }
}
