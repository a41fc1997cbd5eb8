internal import Foundation

/// The mark of a home whose enrolment has begun and not ended: a file beside the database.
///
/// The device's key comes last, so that a home belongs to an operation wholly or not at all. What
/// an enrolment that was cut short leaves of a database is of use to nobody, and is taken away by
/// the next; a database without the mark is never touched, since its keys may only be elsewhere.
struct UnfinishedHome {
  private let home: NodeHome
  private var mark: String { home.dataDirectory + "/unfinished" }

  init(_ home: NodeHome) { self.home = home }

  /// Whether an enrolment was cut short here, or is under way.
  var hasBegun: Bool { get throws(HomeError) { try isThere(mark) } }

  /// Which enrolment of a home it is.
  enum Turn {
    case first
    /// After one that was cut short: whatever that wrote is gone, and never left this laptop.
    case again
  }

  /// Sets the mark, on an empty data folder. MUST be called under the home's lock.
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

  /// Takes the mark away, if it is there. MUST be called under the home's lock, once the device's
  /// key is there and before anything else is written into the database.
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
