public import MusterCrypto
public import MusterModel

/// What the caller asks about keys and records.
extension SyncEngine {
  /// Returns the newest record of a topic; nil if none is stored.
  public func record(_ topic: RecordTopic) -> LatestRecord? { records.cache[topic] }

  /// Returns all records by one certificate's holder, by topic.
  public func records(by holder: CertificateHash) -> [LatestRecord] { records.cache.by(holder) }

  /// Returns the newest records of one kind, by topic.
  public func records(of kind: RecordKind) -> [LatestRecord] { records.cache.of(kind) }

  /// Returns whether a receipt for one more log may be stored under a certificate. Its holder
  /// observes the limit, and no peer accepts more.
  public func hasRoomForReceipt(of certificate: CertificateHash) -> Bool {
    records.cache.hasRoomForReceipt(of: certificate)
  }

  /// Returns whether one more tracker may be stored under a certificate.
  public func hasRoom(forTrackers count: Int, of certificate: CertificateHash) -> Bool {
    records.cache.hasRoom(forTrackers: count, of: certificate)
  }

  /// The records that report a device in use twice, by topic.
  public var cloneRecords: [LatestRecord] { records.cache.of(.clone) }

  /// Whether a key is requested for data of an author, or as many as are permitted are.
  public func isRequesting(_ epoch: EpochID, of author: CertificateHash) -> Bool {
    keys.missing.contains(epoch, of: author)
  }

  /// Returns authors whose further epochs may be requested: the caller MUST supply these.
  public mutating func takeRefillableAuthors() -> [CertificateHash] { keys.takeRefillableAuthors() }

  /// Returns keys for all authorized devices, each sealed to one device. Devices that only exchange
  /// bundles have no peer to request keys from.
  ///
  /// - Parameters:
  ///   - epochs: the available epochs, the most important first.
  ///   - limit: the maximum number of keys.
  ///   - random: the source of one fresh ephemeral key for each.
  public func keysToCarry(
    of epochs: [EpochID], upTo limit: Int, random: inout DeterministicRandom
  ) -> [BundledKey] {
    keys.bundled(
      epochs, upTo: limit, to: context.roster, butNot: context.local.device, random: &random)
  }
}
