internal import MusterModel

/// Secret bytes that are wiped when their last reference is released.
///
/// A class, so that copying a key copies a reference and not the secret: there is one place in
/// memory to wipe. It does not cover copies that callers make through the `export` functions of the
/// key types, nor swap.
final class SecretBytes: @unchecked Sendable, Redacted {
  // `@unchecked Sendable` is sound because `memory` is written only during `init`, when no other
  // reference exists, and in `deinit`, when none exists any more.
  private let memory: UnsafeMutableRawBufferPointer

  /// `fill` MUST write all `count` bytes.
  init(count: Int, filledBy fill: (UnsafeMutablePointer<UInt8>) -> Void) {
    precondition(count > 0, "a secret of \(count) bytes")
    Sodium.start()
    memory = .allocate(byteCount: count, alignment: MemoryLayout<UInt64>.alignment)
    fill(memory.bindMemory(to: UInt8.self).baseAddress!)
  }

  /// Returns nil if `compute` returns false.
  static func computed(
    count: Int, _ compute: (UnsafeMutablePointer<UInt8>) -> Bool
  ) -> SecretBytes? {
    var hasResult = false
    let secret = SecretBytes(count: count) { pointer in
      pointer.initialize(repeating: 0, count: count)
      hasResult = compute(pointer)
    }
    return hasResult ? secret : nil
  }

  convenience init(_ bytes: some Collection<UInt8>) {
    self.init(count: bytes.count) { pointer in
      _ = UnsafeMutableBufferPointer(start: pointer, count: bytes.count).initialize(from: bytes)
    }
  }

  deinit {
    Sodium.wipe(memory)
    memory.deallocate()
  }

  var count: Int { memory.count }

  /// The pointer MUST NOT outlive `body`.
  func withPointer<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
    withExtendedLifetime(self) {
      body(UnsafePointer(memory.bindMemory(to: UInt8.self).baseAddress!))
    }
  }

  /// Returns a part of a longer result as a separate secret.
  func prefix(_ count: Int) -> SecretBytes {
    precondition(count <= self.count, "\(count) bytes of a secret of \(self.count)")
    return SecretBytes(count: count) { pointer in
      withPointer { pointer.initialize(from: $0, count: count) }
    }
  }

  /// Returns a copy that is not wiped: only for key files and for tests.
  func exported() -> [UInt8] { withExtendedLifetime(self) { [UInt8](memory) } }
}
