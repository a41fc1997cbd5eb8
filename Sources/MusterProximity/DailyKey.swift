public import MusterModel

/// A device's key of one day, from which its identifiers follow (Exposure Notification
/// Cryptography Specification 1.2).
///
/// ```
///   daily key ── HKDF "EN-RPIK" ──▶ identifier key ── AES(interval) ──▶ identifier
///             └─ HKDF "EN-AEMK" ──▶ metadata key ── AES-CTR(identifier) ──▶ metadata
/// ```
///
/// Without the key, two identifiers of one device cannot be linked: each is one block of AES under
/// an unknown key.
public struct DailyKey: Hashable, Sendable, CustomStringConvertible {
  /// The length of a key.
  public static let byteCount = KeyDerivation.keyBytes
  private static let metadataBytes = 4

  /// The first interval of its day.
  public let dayStart: ProximityInterval
  /// The secret. The caller MUST protect it until its day has ended.
  public let bytes: [UInt8]

  /// Returns nil unless there are sixteen bytes, which MUST be random, and a whole day.
  public init?(bytes: [UInt8], dayStart: ProximityInterval) {
    guard bytes.count == Self.byteCount, dayStart == dayStart.dayStart,
      dayStart.number <= .max - ProximityInterval.perDay
    else { return nil }
    self.bytes = bytes
    self.dayStart = dayStart
  }

  /// The day, without the secret.
  public var description: String { "the daily key of \(dayStart.start)" }

  /// Returns the identifier of an interval; nil outside the key's day.
  public func identifier(at interval: ProximityInterval) -> Bytes16? {
    guard interval.dayStart == dayStart else { return nil }
    return Bytes16(
      KeyDerivation.encryptBlocks(Self.block(of: interval.number), by: identifierKey))
  }

  /// Returns the identifiers of the day, in order.
  public func identifiers() -> [Bytes16] {
    let numbers = dayStart.number..<(dayStart.number + ProximityInterval.perDay)
    let blocks = KeyDerivation.encryptBlocks(
      numbers.flatMap { Self.block(of: $0) }, by: identifierKey)
    return stride(from: 0, to: blocks.count, by: Self.byteCount).compactMap {
      Bytes16(blocks[$0..<($0 + Self.byteCount)])
    }
  }

  /// Encrypts, or decrypts, the four bytes that accompany an identifier. They are not
  /// authenticated. Returns nil for another length.
  public func metadata(_ text: [UInt8], with identifier: Bytes16) -> [UInt8]? {
    guard text.count == Self.metadataBytes else { return nil }
    return KeyDerivation.applyCounterMode(text, by: metadataKey, counter: identifier.bytes)
  }

  var identifierKey: [UInt8] { KeyDerivation.key(from: bytes, info: "EN-RPIK") }
  var metadataKey: [UInt8] { KeyDerivation.key(from: bytes, info: "EN-AEMK") }

  /// `PaddedData` of the specification: "EN-RPI", six zero bytes, the interval in little endian.
  private static func block(of number: UInt32) -> [UInt8] {
    let shifts: [UInt32] = [0, 8, 16, 24]
    return Array("EN-RPI".utf8) + [0, 0, 0, 0, 0, 0]
      + shifts.map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}
