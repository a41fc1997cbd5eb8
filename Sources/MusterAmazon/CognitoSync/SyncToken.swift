internal import MusterModel

/// The tokens of Cognito Sync: of a session, and of the next page of records. Each belongs to one
/// data set of one user. They grant nothing: a request that shows one is signed.
enum SyncToken {
  private static let sessionMilliseconds: Int64 = 3_600_000
  private static let longest = 2000

  /// Begins a session, in which records of the data set may be updated.
  static func session(_ user: UserID, _ dataset: String, now: Timestamp) -> String {
    let end = now.milliseconds + sessionMilliseconds
    return Page<Never>.token(of: "session \(user) \(dataset) \(end)")
  }

  /// Throws unless a text is the token of a session that is not over.
  static func requireSession(
    _ text: String, _ user: UserID, _ dataset: String, now: Timestamp
  ) throws(ServiceFault) {
    guard let parts = try parts(text, "SyncSessionToken"), parts.count == 4,
      parts[0] == "session", parts[1] == "\(user)", parts[2] == dataset, let end = Int64(parts[3])
    else { throw .invalid("SyncSessionToken", "is no token of this data set: list its records") }
    guard now.milliseconds <= end else {
      throw .invalid("SyncSessionToken", "has expired: list the records")
    }
  }

  /// Names the page after a position.
  static func page(
    _ user: UserID, _ dataset: String, after position: RecordIndexPosition
  ) -> String {
    let row = position.row.map { "\($0)" } ?? ""
    return Page<Never>.token(of: "page \(user) \(dataset) \(position.syncCount) \(row)")
  }

  static func position(
    _ text: String, _ user: UserID, _ dataset: String
  ) throws(ServiceFault) -> RecordIndexPosition {
    guard let parts = try parts(text, "NextToken"), parts.count == 5, parts[0] == "page",
      parts[1] == "\(user)", parts[2] == dataset, let count = count(parts[3]),
      let row = RowID(hex: parts[4])
    else { throw .invalid("NextToken", "is no token of this list") }
    return RecordIndexPosition(syncCount: count, row: row)
  }

  /// Names the page of data sets after one.
  static func datasets(_ user: UserID, after dataset: String) -> String {
    Page<Never>.token(of: "datasets \(user) \(dataset)")
  }

  static func dataset(_ text: String, _ user: UserID) throws(ServiceFault) -> String {
    guard let parts = try parts(text, "NextToken"), parts.count == 3, parts[0] == "datasets",
      parts[1] == "\(user)"
    else { throw .invalid("NextToken", "is no token of this list") }
    return parts[2]
  }

  private static func count(_ text: String) -> UInt64? {
    UInt64(text).flatMap { $0 <= Limits.recordSyncCount ? $0 : nil }
  }

  private static func parts(_ text: String, _ field: String) throws(ServiceFault) -> [String]? {
    guard (1...longest).contains(text.unicodeScalars.count) else {
      throw .invalid(field, "must have 1 to \(longest) characters")
    }
    return Page<Never>.key(text)?.split(separator: " ", omittingEmptySubsequences: false)
      .map(String.init)
  }
}
