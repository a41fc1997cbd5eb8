/// Incremental BLAKE2b, for data that is too large or too scattered to hash at once.
///
/// A value: copies are independent, and `finalize` does not change the hasher, so the digest of
/// every prefix can be read.
public struct Blake2bHasher: Sendable {
  /// The length of the digest, 1 to 64.
  public let outputBytes: Int
  private var storage: Storage

  /// `outputBytes` MUST be 1 to 64.
  public init(outputBytes: Int) {
    precondition((1...64).contains(outputBytes), "a digest of \(outputBytes) bytes")
    self.outputBytes = outputBytes
    storage = Storage()
    storage.withState { $0.begin(digestBytes: outputBytes) }
  }

  /// Appends bytes to the hashed data.
  public mutating func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { update($0) }
  }

  /// Appends a part of a larger buffer without a copy.
  public mutating func update(_ bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBytes { update($0) }
  }

  /// Appends memory that the caller owns.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    if !isKnownUniquelyReferenced(&storage) {
      storage = Storage(copying: storage)
    }
    storage.withState { $0.update(bytes) }
  }

  /// Returns the digest of everything so far, `outputBytes` long.
  public func finalize() -> [UInt8] {
    Storage(copying: storage).withState { state in
      state.finish(digestBytes: outputBytes) {
        [UInt8](UnsafeBufferPointer(start: $0, count: outputBytes))
      }
    }
  }

  /// The state's memory.
  ///
  /// `@unchecked Sendable` is sound because it is written only through a `Blake2bHasher` that
  /// holds the sole reference to it.
  private final class Storage: @unchecked Sendable {
    private let state = Blake2bState(
      memory: .allocate(byteCount: Blake2bState.byteCount, alignment: Blake2bState.alignment))

    init() {}

    init(copying other: Storage) {
      other.withState {
        state.memory.copyMemory(from: $0.memory, byteCount: Blake2bState.byteCount)
      }
    }

    deinit { state.memory.deallocate() }

    /// Keeps the memory alive while `body` uses it, which a bare pointer would not.
    func withState<Result>(_ body: (Blake2bState) -> Result) -> Result {
      withExtendedLifetime(self) { body(state) }
    }
  }
}
