internal import Foundation

/// The mark of a home whose enrolment has started and not finished: a file beside the database.
///
/// The device's key is written last, so that a home belongs to an operation completely or not at
/// all. The database of an interrupted enrolment is useless, and the next enrolment removes it. A
/// database without the mark is never removed, since its keys may be elsewhere.
struct UnfinishedHome {
  private let home: NodeHome
  private var mark: String { home.dataDirectory + "/unfinished" }

  init(_ home: NodeHome) { self.home = home }

  /// Whether an enrolment was interrupted here, or is in progress.
  var hasBegun: Bool { get throws(HomeError) { try isThere(mark) } }

  /// Whether an enrolment of a home is the first.
  enum Turn {
    case first
    /// After an interrupted one: its data was removed, and was never sent.
    case again
  }

  /// Sets the mark, on an empty data folder. MUST be called with the home's lock held.
  func begin() throws(HomeError) -> Turn {
    let turn: Turn = try isThere(mark) ? .again : .first
    if turn == .again {
      for suffix in ["", "-wal", "-shm", "-journal"] { try remove(home.databasePath + suffix) }
    } else if try isThere(home.databasePath) {
      throw .keyless(home: home.path, keys: home.keysDirectory)
    }
    try OpenFile(mark, O_WRONLY | O_CREAT, for: .make).sync()
    try Folder.sync(home.dataDirectory)
    return turn
  }

  /// Removes the mark if it exists. MUST be called with the home's lock held, once the device's key
  /// exists and before anything else is written to the database.
  func finish() throws(HomeError) {
    guard try isThere(mark) else { return }
    try remove(mark)
    try Folder.sync(home.dataDirectory)
  }

  private func isThere(_ path: String) throws(HomeError) -> Bool {
    try Folder.size(of: path) != nil
  }

  private func remove(_ path: String) throws(HomeError) {
    guard unlink(path) == 0 || errno == ENOENT else {
      throw .system(.write, path: path, code: errno)
    }
  }
}
