internal import MusterModel

/// A cache of what commits have read and written. It is valid only while it matches the database: a
/// transaction takes it out, and puts it back once it is durable. After a failed transaction the
/// cache is empty.
///
/// `@unchecked Sendable`: accessed only on the queue of the single writing connection.
final class CommitMemory: @unchecked Sendable {
  /// The cached data.
  struct Contents {
    var rows = RowCache()
    /// Whether the index of rows by frames is kept; nil until it is read.
    var indexesRows: Bool?
  }

  private var contents: Contents?

  func take() -> Contents {
    defer { contents = nil }
    return contents ?? Contents()
  }

  func keep(_ new: Contents) { contents = new }

  /// Invalidates the cache after other writes to the log or the view.
  func forget() { contents = nil }
}
