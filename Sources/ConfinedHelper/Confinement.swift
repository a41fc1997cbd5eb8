internal import CConfinement

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// What a helper gives up before it reads the first byte of a stranger: files, network, other
/// programs, and more memory and time than its work needs (decision 0052).
public enum Confinement {
  private static let cpuSeconds: UInt64 = 60

  /// Closes all descriptors but 0, 1 and 2.
  public static func closeDescriptors() { confinement_close_descriptors() }

  /// Confines this process for the rest of its time. Returns false if the system does not permit
  /// it: the process MUST then end. Only Linux has the filter of system calls; elsewhere, the
  /// limits are all.
  ///
  /// - Parameter memoryBytes: the address space beyond what is mapped.
  public static func enter(memoryBytes: UInt64) -> Bool {
    guard confinement_limit(memoryBytes, cpuSeconds) == 0 else { return false }
    #if os(Linux)
      return confinement_filter() == 0
    #else
      return true
    #endif
  }

  /// Whether half of the processor time is left. A helper ends without it, after its answer.
  public static var hasTime: Bool { UInt64(clock()) / 1_000_000 < cpuSeconds / 2 }
}
