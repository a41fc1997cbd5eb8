import CSodium

/// The one-time initialization of libsodium, which selects the fastest code for this processor.
enum Sodium {
  private static let started: Void = {
    precondition(sodium_init() >= 0, "libsodium found no source of randomness")
  }()

  /// Initializes the library. MUST precede every call of libsodium; later calls cost a load.
  static func start() { _ = started }

  /// Clears memory in a way that the optimiser may not leave out.
  static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
    guard let start = memory.baseAddress else { return }
    sodium_memzero(start, memory.count)
  }
}
