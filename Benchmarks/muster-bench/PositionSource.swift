import MusterCrypto
import MusterModel
import MusterReplica
import MusterSync

/// Signs the positions of one enrolled device that runs no replica, for thousands of members.
struct PositionSource: Sendable {
  private let local: LocalDevice
  private let epoch: EpochID
  private let key: SealingKey
  private let boot: BootID
  private var counter: UInt64 = 0
  private var random: DeterministicRandom

  fileprivate init(
    local: LocalDevice, epoch: EpochID, key: SealingKey, seed: [UInt8]
  ) {
    self.local = local
    self.epoch = epoch
    self.key = key
    random = DeterministicRandom(seed: seed)
    boot = BootID(raw: random.bytes16())
  }

  /// The device that signs.
  var device: DeviceID { local.device }
  /// On whose authority it signs.
  var certificate: CertificateHash { local.certificate.hash }

  /// Returns a position record with a stamp by the device's boot clock, and the name by which
  /// others echo it.
  ///
  /// - Parameter echoes: nil unless the record is an anchor.
  mutating func record(
    of report: PositionReport, echoing echoes: [StampedRecordID]?, now: ClockReading
  ) -> (record: LatestRecord, name: StampedRecordID) {
    counter += 1
    let stamp = Stamp(boot: boot, milliseconds: now.boot).flatMap {
      RecordStamp($0, echoes: echoes)
    }
    let record = LatestRecord.position(
      report, stamp: stamp, operation: local.operation, certificate: local.certificate.hash,
      order: RecordOrder(
        generation: 1, incarnation: Incarnation(raw: boot.raw), counter: counter),
      epoch: epoch, key: key, nonce: random.nonce24(), signedBy: local.signingKey)
    return (record, StampedRecordID(record, operation: local.operation))
  }
}

extension Replica {
  /// Returns a source of another device's positions, sealed under this replica's epoch key; nil
  /// without a key.
  func positionSource(of credentials: Credentials, seed: [UInt8]) -> PositionSource? {
    guard let epoch = ModifiedProgram.writingKey(of: self) else { return nil }
    return PositionSource(local: credentials.local, epoch: epoch.id, key: epoch.key, seed: seed)
  }
}
