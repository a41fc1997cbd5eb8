internal import MusterModel

/// What commits have read and written, for those that follow: true only while it says what the
/// database says, so whoever works with it takes it away, and gives it back once the transaction
/// is durable. After one that failed nothing is remembered.
///
/// `@unchecked Sendable`: it is touched on the queue of the one writing connection alone.
final class CommitMemory: @unchecked Sendable {
  /// What is remembered.
  struct Contents {
    var rows = RowCache()
  }

  private var contents: Contents?

  func take() -> Contents {
    defer { contents = nil }
    return contents ?? Contents()
  }

  func keep(_ new: Contents) { contents = new }

  /// After something else has written to the log or the view.
  func forget() { contents = nil }
}
