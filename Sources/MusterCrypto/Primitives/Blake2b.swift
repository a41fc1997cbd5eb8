import CSodium
public import MusterModel

/// Unkeyed BLAKE2b (RFC 7693), the only hash of the project.
///
/// Several parts hash as their concatenation, without being copied. Parts of varying length MUST be
/// made unambiguous by a length or a fixed width.
public enum Blake2b {
  /// Thirty-two bytes: frames, certificates, bodies, states.
  public static func hash256(_ parts: [UInt8]...) -> Bytes32 {
    digest(of: parts, byteCount: 32) { Bytes32(reading: $0) }
  }

  /// Sixteen bytes: ids.
  public static func hash128(_ parts: [UInt8]...) -> Bytes16 {
    digest(of: parts, byteCount: 16) { Bytes16(reading: $0) }
  }

  /// Sixty-four bytes.
  public static func hash512(_ parts: [UInt8]...) -> [UInt8] {
    digest(of: parts, byteCount: 64) { [UInt8](UnsafeBufferPointer(start: $0, count: 64)) }
  }

  /// Hashes a part of a larger buffer without a copy.
  public static func hash256(_ bytes: ArraySlice<UInt8>) -> Bytes32 {
    bytes.withUnsafeBytes { hash256($0) }
  }

  /// Hashes memory that the caller owns.
  public static func hash256(_ bytes: UnsafeRawBufferPointer) -> Bytes32 {
    digest(of: bytes, byteCount: 32) { Bytes32(reading: $0) }
  }

  /// Hashes memory that the caller owns.
  public static func hash128(_ bytes: UnsafeRawBufferPointer) -> Bytes16 {
    digest(of: bytes, byteCount: 16) { Bytes16(reading: $0) }
  }

  private static func digest<Digest>(
    of parts: [[UInt8]], byteCount: Int, _ read: (UnsafePointer<UInt8>) -> Digest
  ) -> Digest {
    if parts.count == 1 {
      return parts[0].withUnsafeBytes { digest(of: $0, byteCount: byteCount, read) }
    }
    return Blake2bState.withTemporary(digestBytes: byteCount) { state in
      for part in parts {
        part.withUnsafeBytes { state.update($0) }
      }
      return state.finish(digestBytes: byteCount, read)
    }
  }

  private static func digest<Digest>(
    of bytes: UnsafeRawBufferPointer, byteCount: Int, _ read: (UnsafePointer<UInt8>) -> Digest
  ) -> Digest {
    Sodium.start()
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: byteCount) { digest in
      let start = bytes.bindMemory(to: UInt8.self).baseAddress
      let status = crypto_generichash_blake2b(
        digest.baseAddress!, byteCount, start, UInt64(bytes.count), nil, 0)
      precondition(status == 0, "BLAKE2b refused a digest of \(byteCount) bytes")
      return read(UnsafePointer(digest.baseAddress!))
    }
  }
}

extension Blake2b {
  /// Returns the first eight of the sixteen bytes of keyed BLAKE2b.
  static func keyedWord(_ bytes: UnsafeRawBufferPointer, key: SecretBytes) -> UInt64 {
    withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { digest in
      keyed(
        bytes, key: key, to: digest.bindMemory(to: UInt8.self).baseAddress!, count: digest.count)
      return digest.load(as: UInt64.self)
    }
  }

  /// Writes `count` bytes of keyed BLAKE2b to `output`, 16 to 64. The key has 16 to 64 bytes.
  static func keyed(
    _ bytes: UnsafeRawBufferPointer, key: SecretBytes, to output: UnsafeMutablePointer<UInt8>,
    count: Int
  ) {
    Sodium.start()
    let status = key.withPointer { secret in
      crypto_generichash_blake2b(
        output, count, bytes.bindMemory(to: UInt8.self).baseAddress, UInt64(bytes.count), secret,
        key.count)
    }
    precondition(status == 0, "BLAKE2b refused a key of \(key.count) bytes")
  }
}

/// Memory in which libsodium keeps an incremental BLAKE2b state.
///
/// Its C type is aligned to 64 bytes, which Swift cannot import; hence raw memory behind an opaque
/// pointer. The state holds no pointers and may be copied byte by byte.
struct Blake2bState {
  static let alignment = 64
  static let byteCount = crypto_generichash_blake2b_statebytes()

  let memory: UnsafeMutableRawPointer

  /// Provides a temporary state on the stack, ready for `update`.
  static func withTemporary<Result>(
    digestBytes: Int, _ body: (Blake2bState) -> Result
  ) -> Result {
    withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: alignment) { buffer in
      let state = Blake2bState(memory: buffer.baseAddress!)
      state.begin(digestBytes: digestBytes)
      return body(state)
    }
  }

  func begin(digestBytes: Int) {
    Sodium.start()
    let status = crypto_generichash_blake2b_init(OpaquePointer(memory), nil, 0, digestBytes)
    precondition(status == 0, "BLAKE2b refused a digest of \(digestBytes) bytes")
  }

  func update(_ bytes: UnsafeRawBufferPointer) {
    let start = bytes.bindMemory(to: UInt8.self).baseAddress
    let status = crypto_generichash_blake2b_update(
      OpaquePointer(memory), start, UInt64(bytes.count))
    precondition(status == 0, "BLAKE2b refused \(bytes.count) bytes")
  }

  /// Passes the digest to `read`. The state is consumed, and wiped by the library.
  func finish<Result>(
    digestBytes: Int, _ read: (UnsafePointer<UInt8>) -> Result
  ) -> Result {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: digestBytes) { digest in
      let status = crypto_generichash_blake2b_final(
        OpaquePointer(memory), digest.baseAddress!, digestBytes)
      precondition(status == 0, "BLAKE2b was finished twice")
      return read(UnsafePointer(digest.baseAddress!))
    }
  }
}
