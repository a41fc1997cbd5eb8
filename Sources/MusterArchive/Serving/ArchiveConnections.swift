public import MusterHTTP
public import MusterModel
internal import MusterNode
internal import Synchronization

/// Connections to one archive for many readers. Each blocks a thread of its own, so that a slow
/// database delays no other work of the process.
///
/// A reader that finds too many others waiting is rejected at once: memory stays bounded while the
/// database hangs.
public final class ArchiveConnections: Sendable {
  private static let mostWaiting = 256

  private let connections: [ReadingConnection]
  private let load = Mutex(Load())

  private struct Load {
    var next = 0
    var waiting = 0
  }

  /// Creates connections, which open when they are first used.
  ///
  /// - Parameters:
  ///   - url: `postgres://USER@HOST/DATABASE`. A read replica suffices.
  ///   - count: at least 1.
  public init(to url: String, count: Int) {
    precondition(count > 0, "a pool of \(count) connections")
    connections = (0..<count).map { ReadingConnection(to: url, number: $0) }
  }

  private func read<Result: Sendable>(
    _ work: @escaping @Sendable (Archive) throws -> Result
  ) async throws -> Result {
    let connection = try load.withLock { load throws(ArchiveFault) in
      guard load.waiting < Self.mostWaiting else {
        throw ArchiveFault("too many requests wait for the database", isTransient: true)
      }
      load.waiting += 1
      load.next = (load.next + 1) % connections.count
      return connections[load.next]
    }
    defer { load.withLock { $0.waiting -= 1 } }
    return try await connection.perform(work)
  }
}

extension ArchiveConnections: OperationArchive {
  /// Returns the reader with an access token; nil for an unknown or revoked one.
  public func reader(withTokenHash hash: [UInt8]) async throws -> ArchiveReader? {
    try await read { try $0.accessTokens.reader(withHash: hash) }
  }

  /// Returns operations by name; nil for all of them.
  public func operations(_ ids: [OperationID]?) async throws -> [ArchivedOperation] {
    try await read { try $0.operations(ids) }
  }

  /// Returns the names of operations; nil for all of them.
  public func names(of ids: [OperationID]?) async throws -> [OperationID: String] {
    try await read { try $0.projections.names(of: ids) }
  }

  /// Returns what matches, newest first.
  public func find(_ search: ArchiveSearch) async throws -> [ArchiveFinding] {
    try await read { try $0.find(search) }
  }

  /// Returns projected rows of one set by id.
  public func summaries<Summary: Decodable & Sendable>(
    of set: ArchivedSet, in operation: OperationID, _ selection: SummarySelection
  ) async throws -> [Summary] {
    try await read { try $0.projections.summaries(of: set, in: operation, selection) }
  }

  /// Returns the newest fixes of a person in a period, by time.
  public func track(
    of user: UserID, in operation: OperationID, from: Timestamp?, to: Timestamp?, limit: Int
  ) async throws -> [Fix] {
    try await read {
      try $0.projections.track(of: user, in: operation, from: from, to: to, limit: limit)
    }
  }

  /// Returns everybody's last position until a time.
  public func positions(
    in operation: OperationID, at time: Timestamp
  ) async throws -> [PastPosition] {
    try await read { try $0.projections.positions(in: operation, at: time) }
  }
}

extension ArchiveConnections {
  /// Returns the size of a photo; nil if its content is not archived.
  public func photoSize(_ photo: BlobID, in operation: OperationID) async throws -> Int? {
    try await read { try $0.projections.photoSize(photo, in: operation) }
  }

  /// Returns a range of a photo.
  public func photoBytes(
    _ photo: BlobID, in operation: OperationID, _ range: Range<Int>
  ) async throws -> [UInt8] {
    try await read { try $0.projections.photoBytes(photo, in: operation, range) }
  }
}

/// One connection, on a thread of its own.
private actor ReadingConnection {
  private let executor: QueueExecutor
  private let url: String
  private var archive: Archive?

  private static let patienceSeconds = 30

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  init(to url: String, number: Int) {
    self.url = url
    executor = QueueExecutor(label: "muster.archive-reader-\(number)")
  }

  /// Performs a query; after a lost connection once more, on a new one.
  func perform<Result: Sendable>(
    _ work: @Sendable (Archive) throws -> Result
  ) throws -> Result {
    if let archive {
      do {
        return try work(archive)
      } catch let fault as ArchiveFault where fault.isTransient {
        self.archive = nil
      }
    }
    let opened = try Archive(at: url)
    try opened.projections.limitStatements(seconds: Self.patienceSeconds)
    archive = opened
    return try work(opened)
  }
}
