internal import GRDB

extension Database {
  /// As `inTransaction`, whose beginning and end GRDB prepares anew each time, which is a good part
  /// of what a small commit takes. After an error nothing else MUST be done in it.
  func inPreparedTransaction(_ operations: () throws -> Void) throws {
    try cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute()
    do {
      try operations()
      try cachedStatement(sql: "COMMIT TRANSACTION").execute()
    } catch {
      // An error such as a full disk has rolled it back already.
      if isInsideTransaction { try rollback() }
      throw error
    }
  }
}
