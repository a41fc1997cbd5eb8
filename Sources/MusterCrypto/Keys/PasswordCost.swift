/// The cost of deriving a key from a passphrase, and thus of each guess by an attacker.
public struct PasswordCost: Hashable, Sendable {
  /// Passes over the memory, 1 to 32.
  public let passes: Int
  /// Memory, 8 KiB to 1 GiB.
  public let memoryBytes: Int

  /// Returns nil if out of range: key files are external input, and a higher cost would only block
  /// the device that reads it.
  public init?(passes: Int, memoryBytes: Int) {
    guard (1...32).contains(passes), (8 * 1024...1024 * 1024 * 1024).contains(memoryBytes)
    else { return nil }
    self.init(validPasses: passes, memoryBytes: memoryBytes)
  }

  private init(validPasses passes: Int, memoryBytes: Int) {
    self.passes = passes
    self.memoryBytes = memoryBytes
  }

  /// About a tenth of a second and 64 MiB on a field laptop.
  public static let interactive = PasswordCost(validPasses: 2, memoryBytes: 64 * 1024 * 1024)
  /// No real protection: for tests, which must be fast.
  public static let minimum = PasswordCost(validPasses: 1, memoryBytes: 8 * 1024)
}
