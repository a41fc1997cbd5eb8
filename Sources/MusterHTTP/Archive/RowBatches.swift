internal import MusterInterchange
internal import MusterModel

/// The rows of a projected set by id, some at a time: few where rows are long, so that a response
/// takes little memory beyond its own.
struct RowBatches {
  private let api: ArchiveAPI
  private let set: ArchivedSet
  private let operation: OperationID
  private let most: Int
  private var after: [UInt8]?
  /// Whether no row follows.
  private(set) var isAtEnd = false
  /// The rows that were read, and their text.
  private(set) var (rows, bytes) = (0, 0)

  private static let first = 16

  /// - Parameters:
  ///   - cursor: the id before the first row. Throws a problem for any other text.
  ///   - most: the rows of a batch; at least 2.
  init(
    of set: ArchivedSet, in operation: OperationID, by api: ArchiveAPI, after cursor: String?,
    atMost most: Int = 500
  ) throws(Problem) {
    (self.api, self.set, self.operation, self.most) = (api, set, operation, most)
    guard let cursor else { return }
    guard let bytes = Hex.decode(cursor), bytes.count == 16 else {
      throw Problem(.badRequest, "the cursor is of no page", at: "cursor")
    }
    after = bytes
  }

  /// Returns the next rows; none at the end.
  mutating func next() async throws -> [Rows.Row] {
    guard !isAtEnd else { return [] }
    let fitting = api.bounds.page / 2 / max(1, bytes / max(1, rows))
    let size = min(rows == 0 ? Self.first : max(2, fitting), most)
    let found = try await api.rows(of: set, in: operation, .page(after: after, limit: size))
    isAtEnd = found.count < size
    rows += found.count
    bytes += found.reduce(0) { $0 + $1.json.utf8.count + $1.feature.utf8.count }
    after = found.last.flatMap { Hex.decode($0.id) }
    return found
  }
}
