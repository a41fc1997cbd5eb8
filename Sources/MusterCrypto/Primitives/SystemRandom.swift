import CSodium

/// The operating system's randomness. Only the shell calls it, to seed `DeterministicRandom`: pure
/// code that used it could not be replayed.
public enum SystemRandom {
  /// Returns thirty-two unpredictable bytes.
  public static func seed() -> [UInt8] {
    Sodium.start()
    return [UInt8](unsafeUninitializedCapacity: DeterministicRandom.seedBytes) { buffer, count in
      randombytes_buf(buffer.baseAddress!, DeterministicRandom.seedBytes)
      count = DeterministicRandom.seedBytes
    }
  }
}
