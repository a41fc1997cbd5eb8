public import MusterModel

/// What an archive of operations offers to its HTTP API. `MusterArchive` reads it from PostgreSQL:
/// this module links no database server's library.
///
/// Every function throws if the archive cannot answer now, with one line that states why.
public protocol OperationArchive: Sendable {
  /// Returns the reader with an access token, by the token's hash; nil for a token that is unknown
  /// or revoked.
  func reader(withTokenHash hash: [UInt8]) async throws -> ArchiveReader?

  /// Returns operations by name, with what is archived of them.
  ///
  /// - Parameter ids: those to return; nil for all.
  func operations(_ ids: [OperationID]?) async throws -> [ArchivedOperation]

  /// Returns the names of operations, at the cost of one small query.
  ///
  /// - Parameter ids: those to return; nil for all.
  func names(of ids: [OperationID]?) async throws -> [OperationID: String]

  /// Returns what matches, newest first.
  func find(_ search: ArchiveSearch) async throws -> [ArchiveFinding]

  /// Returns projected rows of one set by id.
  func summaries<Summary: Decodable & Sendable>(
    of set: ArchivedSet, in operation: OperationID, _ selection: SummarySelection
  ) async throws -> [Summary]

  /// Returns the newest fixes of a person between two times, by time.
  ///
  /// - Parameter limit: the most fixes.
  func track(
    of user: UserID, in operation: OperationID, from: Timestamp?, to: Timestamp?, limit: Int
  ) async throws -> [Fix]

  /// Returns everybody's last position until a time.
  func positions(in operation: OperationID, at time: Timestamp) async throws -> [PastPosition]

  /// Returns the size of a photo; nil if its content is not archived.
  func photoSize(_ photo: PhotoID, in operation: OperationID) async throws -> Int?

  /// Returns a range of a photo that is archived.
  func photoBytes(
    _ photo: PhotoID, in operation: OperationID, _ range: Range<Int>
  ) async throws -> [UInt8]
}

/// The archive ended a query that took too long.
public struct ArchiveTimeout: Error {
  /// Creates the error.
  public init() {}
}

/// A data set of an operation that is projected.
public enum ArchivedSet: String, CaseIterable, Sendable {
  case users, reports, fences, events, directives
}

/// The rows to return.
public enum SummarySelection: Hashable, Sendable {
  /// At most so many, after a row.
  case page(after: [UInt8]?, limit: Int)
  /// Those whose id begins with these hexadecimal digits, and people with this callsign.
  case named(String)
}

/// The holder of an access token.
public struct ArchiveReader: Hashable, Sendable {
  /// The agency.
  public let agency: String
  /// The operations that it may read; nil for all, also later ones.
  public let operations: [OperationID]?

  /// Creates a reader.
  public init(agency: String, operations: [OperationID]?) {
    (self.agency, self.operations) = (agency, operations)
  }

  func mayRead(_ operation: OperationID) -> Bool { operations?.contains(operation) ?? true }
}

/// Where a person was.
public struct PastPosition: Hashable, Sendable {
  /// The person.
  public let user: UserID
  /// Their callsign.
  public let callsign: String
  /// The position, with its time.
  public let fix: Fix

  /// Creates a position.
  public init(user: UserID, callsign: String, fix: Fix) {
    (self.user, self.callsign, self.fix) = (user, callsign, fix)
  }
}
