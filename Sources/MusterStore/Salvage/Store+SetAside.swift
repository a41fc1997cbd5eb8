internal import GRDB
public import MusterModel

extension Store {
  /// Logs of which frames are set aside, by id.
  public func logsSetAside() throws(StoreError) -> [LogID] { try read(SetAsideTable.logs) }

  /// Frames of a log that are set aside, in sequence; several may claim one place.
  public func framesSetAside(
    of log: LogID, from sequence: UInt64, limit: Int
  ) throws(StoreError) -> [LooseFrame] {
    try read { try SetAsideTable.frames(of: log, from: sequence, limit: limit, in: $0) }
  }

  /// Logs that are known to have reached further than what is held, by id.
  public func missedHeads() throws(StoreError) -> [KnownHead] {
    try read(SetAsideTable.missedHeads)
  }

  /// Keeps how far logs are known to have come, so that what is missing can be named.
  public func know(_ heads: [KnownHead]) throws(StoreError) {
    try write { database in
      for head in heads { try SetAsideTable.know(head, in: database) }
    }
  }
}
