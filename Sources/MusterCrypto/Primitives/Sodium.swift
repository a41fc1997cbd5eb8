import CSodium

/// The library's one-time start, which chooses the fastest code that this processor can run.
enum Sodium {
  private static let started: Void = {
    precondition(sodium_init() >= 0, "libsodium found no source of randomness")
  }()

  /// Everything that calls libsodium calls this before; after the first time it costs a load.
  static func start() { _ = started }

  /// Clears memory in a way that the optimiser may not leave out.
  static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
    guard let start = memory.baseAddress else { return }
    sodium_memzero(start, memory.count)
  }
}
