/// What deriving a key from a passphrase costs, and so what each guess costs a thief.
public struct PasswordCost: Hashable, Sendable {
  /// Passes over the memory, 1 to 32.
  public let passes: Int
  /// Memory, 8 KiB to 1 GiB.
  public let memoryBytes: Int

  /// Nil out of range: a key file comes from outside, and one that asks for more would only
  /// stop the laptop that reads it.
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
  /// No protection worth the name: for tests, which must be quick.
  public static let minimum = PasswordCost(validPasses: 1, memoryBytes: 8 * 1024)
}
