/// Why a call of the archive failed, in one line for the user: what is wrong, and what to do next.
/// Nothing of the failed transaction is stored.
public struct ArchiveFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line.
  public let description: String
  /// Whether the same call may succeed later without any change by the user.
  public let isTransient: Bool
  /// Whether the server ended the statement, as one that takes too long.
  let isCanceled: Bool

  /// Creates a fault that the user has to resolve.
  public init(_ description: String) { self.init(description, isTransient: false) }

  init(_ description: String, isTransient: Bool, isCanceled: Bool = false) {
    self.description = description
    self.isTransient = isTransient
    self.isCanceled = isCanceled
  }
}
