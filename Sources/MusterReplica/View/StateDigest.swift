internal import MusterCRDT
internal import MusterCrypto
internal import MusterModel
internal import MusterStore

/// The hash over the canonical applied state (`docs/wire.md`): every row that has a value, by kind
/// and id, then every crossing by id. Equal wherever the same frames and keys are held.
struct StateDigest {
  private var hasher = Blake2bHasher(outputBytes: 32)

  private init() { hasher.update(Array("muster state 1".utf8)) }

  private mutating func add(_ row: RowState) {
    guard !row.isEmpty else { return }
    add(row.canonical)
  }

  private mutating func add(_ recorded: RecordedCrossing) {
    let crossing = recorded.crossing
    var writer = ByteWriter()
    writer.append(UInt8(0))
    writer.append(recorded.id)
    writer.append(crossing.type.rawValue)
    writer.append(crossing.fence)
    writer.append(crossing.fenceVersion)
    writer.append(crossing.subject)
    writer.append(crossing.transition)
    crossing.fix.position.append(to: &writer)
    writer.append(UInt8(crossing.fix.accuracyDecimetres == nil ? 0 : 1))
    writer.append(crossing.fix.accuracyDecimetres ?? 0)
    writer.append(crossing.fix.sampleTime.milliseconds)
    writer.append(UInt8(crossing.isBaseline ? 1 : 0))
    add(writer.bytes)
  }

  private mutating func add(_ entry: [UInt8]) {
    var writer = ByteWriter()
    writer.append(lengthPrefixed: entry)
    hasher.update(writer.bytes)
  }

  static func hash(of store: Store) throws -> StateHash {
    var digest = StateDigest()
    try store.forEachRow { digest.add($0) }
    try store.forEachCrossing { digest.add($0) }
    guard let raw = Bytes32(digest.hasher.finalize()) else {
      preconditionFailure("BLAKE2b-256 did not give 32 bytes")
    }
    return StateHash(raw: raw)
  }
}
