internal import MusterCrypto
internal import MusterModel

/// The records that this device seals and signs.
extension OwnDevice {
  /// The epoch that seals them.
  typealias WritingEpoch = (id: EpochID, key: SealingKey)

  /// Returns a record that this device is in contact.
  mutating func presence(
    batteryPercent: UInt8?, stamp: RecordStamp, under epoch: WritingEpoch, now: Timestamp
  ) -> LatestRecord {
    .presence(
      reportedAt: now, batteryPercent: batteryPercent, stamp: stamp, operation: local.operation,
      certificate: local.certificate.hash, order: nextRecordOrder(), epoch: epoch.id,
      key: epoch.key, nonce: random.nonce24(), signedBy: local.signingKey)
  }

  /// Returns a record of this device's neighbours.
  mutating func neighbours(
    _ neighbours: NeighbourRecord, under epoch: WritingEpoch
  ) -> LatestRecord {
    .neighbours(
      neighbours, operation: local.operation, certificate: local.certificate.hash,
      order: nextRecordOrder(), epoch: epoch.id, key: epoch.key, nonce: random.nonce24(),
      signedBy: local.signingKey)
  }

  /// Returns a record that a tracker without a position is in contact.
  mutating func contact(
    ofTracker tracker: Bytes16, batteryPercent: UInt8?, stamp: RecordStamp,
    under epoch: WritingEpoch, now: Timestamp
  ) -> LatestRecord {
    .contact(
      ofTracker: tracker, at: now, batteryPercent: batteryPercent, stamp: stamp,
      operation: local.operation, certificate: local.certificate.hash, order: nextRecordOrder(),
      epoch: epoch.id, key: epoch.key, nonce: random.nonce24(), signedBy: local.signingKey)
  }

  /// Returns a record of a position.
  ///
  /// - Parameter tracker: the nonce that names the row, for a tracker's position.
  mutating func position(
    _ position: UnpublishedPositions.Position, of tracker: Bytes16?, telemetry: Telemetry,
    stamp: RecordStamp, under epoch: WritingEpoch
  ) -> LatestRecord {
    .position(
      position.report, firstIn: position.fixOrder,
      after: position.earlier.filter { $0.order < position.order }, of: tracker,
      telemetry: telemetry, stamp: stamp, operation: local.operation,
      certificate: local.certificate.hash, order: position.order, epoch: epoch.id, key: epoch.key,
      nonce: random.nonce24(), signedBy: local.signingKey)
  }
}
