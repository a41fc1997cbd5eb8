/// Why a call of the archive failed, in one line for the user: what is wrong, and what to do next.
/// Nothing of the failed transaction is stored.
public struct ArchiveFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line.
  public let description: String
  /// Whether the same call may succeed later without any change by the user.
  public let isTransient: Bool

  /// Creates a fault that the user has to resolve.
  public init(_ description: String) { self.init(description, isTransient: false) }

  init(_ description: String, isTransient: Bool) {
    self.description = description
    self.isTransient = isTransient
  }
}
