internal import GRDB
public import MusterModel

extension Store {
  /// Returns the logs with salvaged frames, by id.
  public func logsSetAside() throws(StoreError) -> [LogID] { try read(SetAsideTable.logs) }

  /// Returns the salvaged frames of a log, in sequence; several may claim one position.
  public func framesSetAside(
    of log: LogID, from sequence: UInt64, limit: Int
  ) throws(StoreError) -> [SalvagedFrame] {
    try read { try SetAsideTable.frames(of: log, from: sequence, limit: limit, in: $0) }
  }

  /// Returns the logs that are known to have reached further than what is stored, by id.
  public func missedHeads() throws(StoreError) -> [KnownHead] {
    try read(SetAsideTable.missedHeads)
  }

  /// Stores how far logs are known to reach, so that missing frames can be reported.
  public func know(_ heads: [KnownHead]) throws(StoreError) {
    try write { database in
      for head in heads { try SetAsideTable.know(head, in: database) }
    }
  }
}
