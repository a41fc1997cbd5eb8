internal import MusterModel

/// One of the two slots of a sentinel's file: the sentinel as of one write.
///
/// Big-endian, of fixed length: magic (8 bytes), version (1), counter (8), incarnation (16),
/// generation (4), file system (8), file number (8), a bit for each lane that has a log (1), the
/// sequences in the order of the lanes (4 × 8), checksum of all that (4).
struct SentinelSlot: Hashable, Sendable {
  /// The number of the write; the higher of two slots is newer.
  var counter: UInt64
  var sentinel: Sentinel

  static let byteCount = 58 + 8 * Lane.allCases.count
  private static let magic = Array("MUSTSENT".utf8)
  private static let version: UInt8 = 1
  private static let checksumBytes = 4

  init(counter: UInt64, sentinel: Sentinel) {
    self.counter = counter
    self.sentinel = sentinel
  }

  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.append(fixed: Self.magic)
    writer.append(Self.version)
    writer.append(counter)
    writer.append(sentinel.incarnation)
    writer.append(sentinel.generation)
    writer.append(sentinel.database.fileSystem)
    writer.append(sentinel.database.fileNumber)
    writer.append(
      Lane.allCases.reduce(UInt8(0)) { bits, lane in
        sentinel.sequences[lane] == nil ? bits : bits | Self.bit(lane)
      })
    for lane in Lane.allCases { writer.append(sentinel.sequences[lane] ?? 0) }
    writer.append(CRC32.checksum(writer.bytes))
    return writer.bytes
  }

  init(bytes: [UInt8]) throws(DecodingFault) {
    guard bytes.count == Self.byteCount else { throw .truncated }
    var reader = ByteReader(bytes)
    guard try reader.fixed(Self.magic.count) == Self.magic,
      try reader.integer(UInt8.self) == Self.version
    else { throw .invalid("not a sentinel of this version") }
    counter = try reader.integer(UInt64.self)
    let incarnation = try reader.identifier(Incarnation.self)
    let generation = try reader.integer(UInt32.self)
    let database = DatabaseIdentity(
      fileSystem: try reader.integer(UInt64.self), fileNumber: try reader.integer(UInt64.self))
    let lanes = try reader.integer(UInt8.self)
    var sequences: [Lane: UInt64] = [:]
    for lane in Lane.allCases {
      let sequence = try reader.integer(UInt64.self)
      guard sequence <= Limits.lastSequence else { throw .invalid("sequence") }
      if lanes & Self.bit(lane) != 0 { sequences[lane] = sequence }
    }
    let checksum = try reader.integer(UInt32.self)
    try reader.expectEnd()
    guard checksum == CRC32.checksum(bytes.dropLast(Self.checksumBytes)) else {
      throw .invalid("checksum")
    }
    guard counter < .max, generation <= Limits.lastGeneration else { throw .invalid("number") }
    sentinel = Sentinel(
      incarnation: incarnation, generation: generation, sequences: sequences, database: database)
  }

  private static func bit(_ lane: Lane) -> UInt8 { 1 << (lane.rawValue - 1) }
}

/// The checksum of ISO 3309 and IEEE 802.3: it detects torn writes, not attackers.
enum CRC32 {
  static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var remainder = UInt32.max
    for byte in bytes {
      remainder ^= UInt32(byte)
      for _ in 0..<8 {
        remainder = remainder >> 1 ^ (remainder & 1 == 1 ? 0xEDB8_8320 : 0)
      }
    }
    return ~remainder
  }
}
