/// BLAKE2b over bytes that arrive piece by piece, for what is too large or too scattered to hash
/// at once.
///
/// A value: a copy goes its own way, and `finalize` leaves the hasher able to take more, so the
/// digest of every prefix can be read.
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

  /// Appends to what is hashed.
  public mutating func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { update($0) }
  }

  /// Appends to what is hashed, without the caller having to copy it out of a larger buffer.
  public mutating func update(_ bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBytes { update($0) }
  }

  /// Appends memory that the caller owns to what is hashed.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    if !isKnownUniquelyReferenced(&storage) {
      storage = Storage(copying: storage)
    }
    storage.withState { $0.update(bytes) }
  }

  /// The digest of everything so far, `outputBytes` long.
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
