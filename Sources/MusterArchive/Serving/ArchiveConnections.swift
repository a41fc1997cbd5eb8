public import MusterHTTP
public import MusterModel
internal import MusterNode
internal import Synchronization

/// Connections to one archive for many readers. Each blocks a thread of its own, so that a slow
/// database delays no other work of the process.
///
/// A reader that finds too many others waiting is rejected at once: memory stays bounded while the
/// database hangs. Tokens have a connection of their own: clients without a token delay no query,
/// and slow queries no token.
public final class ArchiveConnections: Sendable {
  private static let mostWaiting = 256

  /// The last one is for tokens.
  private let connections: [ReadingConnection]
  /// How many requests each connection has.
  private let load: Mutex<[Int]>

  /// Creates connections, which open when they are first used.
  ///
  /// - Parameters:
  ///   - url: `postgres://USER@HOST/DATABASE`. A read replica suffices.
  ///   - count: those for queries; at least 1.
  public init(to url: String, count: Int) {
    precondition(count > 0, "a pool of \(count) connections")
    connections = (0...count).map { ReadingConnection(to: url, number: $0) }
    load = Mutex([Int](repeating: 0, count: count + 1))
  }

  /// Reads on the connection for tokens, or on the query connection with the fewest requests.
  private func read<Result: Sendable>(
    forToken: Bool = false, _ work: @escaping @Sendable (Archive) throws -> Result
  ) async throws -> Result {
    let last = connections.count - 1
    let chosen = try load.withLock { load throws(ArchiveFault) in
      let usable = forToken ? last..<last + 1 : 0..<last
      let chosen = usable.min { load[$0] < load[$1] } ?? last
      guard load[usable].reduce(0, +) < Self.mostWaiting else {
        throw ArchiveFault("too many requests wait for the database", isTransient: true)
      }
      load[chosen] += 1
      return chosen
    }
    defer { load.withLock { $0[chosen] -= 1 } }
    do {
      return try await connections[chosen].perform(work)
    } catch let fault as ArchiveFault where fault.isCanceled {
      throw ArchiveTimeout()
    }
  }
}

extension ArchiveConnections: OperationArchive {
  /// Returns the reader with an access token; nil for an unknown or revoked one.
  public func reader(withTokenHash hash: [UInt8]) async throws -> ArchiveReader? {
    try await read(forToken: true) { try $0.accessTokens.reader(withHash: hash) }
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
  public func photoSize(_ photo: PhotoID, in operation: OperationID) async throws -> Int? {
    try await read { try $0.projections.photoSize(photo, in: operation) }
  }

  /// Returns a range of a photo.
  public func photoBytes(
    _ photo: PhotoID, in operation: OperationID, _ range: Range<Int>
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

  /// Performs a query; after a lost connection once more, on a new one. A query that took too long
  /// would take as long again.
  func perform<Result: Sendable>(
    _ work: @Sendable (Archive) throws -> Result
  ) throws -> Result {
    if let archive {
      do {
        return try work(archive)
      } catch let fault as ArchiveFault where fault.isTransient && !fault.isCanceled {
        self.archive = nil
      }
    }
    let opened = try Archive(at: url)
    try opened.projections.limitStatements(seconds: Self.patienceSeconds)
    archive = opened
    return try work(opened)
  }
}
