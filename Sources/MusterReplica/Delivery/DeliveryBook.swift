internal import MusterCRDT
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// How far each report has come, as one reading of the replica sees it.
///
///     live values ─▶ their frames ─▶ (log, sequence) ─▶ who holds each log that far?
///                                                         ├─ peers that confirmed it here
///                                                         ├─ receipts of command devices
///                                                         └─ this device
///
/// Nobody is believed on a sequence alone: the hash must be that of the frame held here, so that
/// neither another branch nor a claim about frames that are not held counts. Too little may be
/// shown, never too much.
struct DeliveryBook {
  /// Who holds a log through which sequence.
  private struct Holders {
    var devices: [DeviceID: UInt64] = [:]
    var command: [DeviceID: UInt64] = [:]
  }

  private let store: Store
  private let engine: SyncEngine
  private let local: LocalDevice
  private let commanders: [SignedCertificate]
  private var holders: [LogID: Holders] = [:]

  init(store: Store, engine: SyncEngine, local: LocalDevice, control: ControlPlane) {
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
    for (log, sequence) in needed {
      let holders = try holders(of: log)
      let reaches = { (through: UInt64) in through >= sequence }
      let these = Set(holders.devices.filter { reaches($0.value) }.keys)
      let those = Set(holders.command.filter { reaches($0.value) }.keys)
      devices = devices?.intersection(these) ?? these
      command = command?.intersection(those) ?? those
    }
    return Delivery(
      devices: (devices ?? []).union([local.device]).count,
      commandPost: local.author.role == .command || command?.isEmpty == false)
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
      if held?.raw.prefix.high == claim.hashPrefix { found.devices[claim.device] = claim.sequence }
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
