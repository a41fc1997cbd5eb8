import MusterCrypto
import MusterModel

/// A running hash over all events of a run. Runs of one seed that differ in one byte, one node or
/// one microsecond have different hashes.
struct TraceHash {
  private var hasher = Blake2bHasher(outputBytes: 16)

  mutating func note(_ kind: Kind, at time: Instant, node: Int, _ bytes: [UInt8]) {
    var prefix = ByteWriter()
    prefix.append(UInt64(bitPattern: time.microseconds))
    prefix.append(UInt32(truncatingIfNeeded: node))
    prefix.append(kind.rawValue)
    prefix.append(UInt32(truncatingIfNeeded: bytes.count))
    hasher.update(prefix.bytes)
    hasher.update(bytes)
  }

  var hexadecimal: String { Hex.encode(hasher.finalize()) }

  /// The kind of event.
  enum Kind: UInt8 {
    case arrived = 1
    case sent = 2
    case wrote = 3
    case moved = 4
    case changed = 5
    case agreed = 6
  }
}
