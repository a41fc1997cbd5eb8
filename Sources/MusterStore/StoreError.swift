internal import GRDB
public import MusterModel
internal import SQLiteSeal

/// The reason why the store failed. The transaction was rolled back, and the store can be used
/// again once the cause is gone.
public enum StoreError: Error, Hashable, Sendable {
  /// The volume has no room for the change. Reads continue.
  case diskFull
  /// The file is not a database, or some of it is damaged; the text states where.
  case corrupt(String)
  /// Another program has the database open for writing.
  case locked
  /// A later version of this program has migrated the database.
  case newerVersion
  /// An earlier build wrote the database without sealing it.
  case unsealed
  /// No page authenticates with this device's key.
  case foreign
  /// The system failed to read or write, sync included; with its error text.
  case io(String)
  /// Another frame is stored at this position, or the frame has another predecessor: the caller
  /// MUST resolve forks before it commits.
  case fork(FramePosition)
  /// The preceding frames are not stored.
  case gap(FramePosition)
  /// Frame 0 of a log arrived without its opening.
  case unopened(LogID)
}

extension StoreError: CustomStringConvertible {
  /// One line for the user: what failed and what to do.
  public var description: String {
    switch self {
    case .diskFull:
      "the disk is full: free some space; the node then continues automatically"
    case .corrupt(let detail):
      "the database is damaged (\(detail)): run `muster verify`, and sync with peers to repair it"
    case .locked:
      "another program is writing to the database: stop it, then try again"
    case .newerVersion:
      "a newer version of muster wrote this database: update muster on this device"
    case .unsealed:
      "an earlier build of muster wrote this database in the clear: sync that build with a peer, "
        + "then move the home away and join again"
    case .foreign:
      "the database belongs to another device: give the --keys folder that it was made with"
    case .io(let detail):
      "the database cannot be read or written (\(detail)): check the disk and its permissions"
    case .fork(let place):
      "two different frames claim place \(place): its author's device was copied or restored"
    case .gap(let place):
      "frame \(place) came before the frames that it follows: ask for those first"
    case .unopened(let log):
      "log \(log.short) came without its opening: ask for its frame 0 again"
    }
  }
}

extension StoreError {
  /// Never contains SQL or values, which may be secret.
  init(_ error: any Error) {
    switch error {
    case let error as StoreError: self = error
    case let error as DatabaseError: self.init(error)
    case let fault as SealFault: self = .io(fault.reason)
    case let fault as DecodingFault: self = .corrupt("\(fault)")
    default: self = .io("\(type(of: error))")
    }
  }

  /// Converts the fault of a sealed file.
  static func converting<Result>(
    _ work: () throws(SealFault) -> Result
  ) throws(StoreError) -> Result {
    do { return try work() } catch { throw StoreError(error) }
  }

  private init(_ error: DatabaseError) {
    let detail = error.message ?? "SQLite code \(error.extendedResultCode.rawValue)"
    switch error.resultCode {
    case .SQLITE_FULL: self = .diskFull
    case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH:
      self = .corrupt(detail)
    case .SQLITE_BUSY, .SQLITE_LOCKED: self = .locked
    case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_DATA:
      self = .corrupt("a page is not as it was written")
    default: self = .io(detail)
    }
  }
}
