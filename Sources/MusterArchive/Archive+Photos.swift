internal import MusterCrypto
internal import MusterModel

/// The ciphertext of photos: pieces that the lists of archived frames prove.
extension Archive {
  /// As many blobs as a post is asked for in one round.
  private static let blobsPerRound = 1024

  /// Returns the blobs that archived frames list, thumbnails first.
  func listings(of operation: OperationID) throws -> [BlobListing] {
    let lists = try database.run(
      "SELECT blob_list FROM frames WHERE operation = $1 AND blob_list IS NOT NULL",
      [.bytes(operation.bytes)])
    return try Set(lists.flatMap { try BlobListing.decode($0.bytes(0)) })
      .sorted { ($0.kind, $0) < ($1.kind, $1) }
  }

  /// Returns listed blobs of which something is missing. A post may hold some of them; if there are
  /// many, others are asked for in each round.
  func missingBlobs(of operation: OperationID) throws -> [BlobID] {
    let listings = try listings(of: operation)
    guard !listings.isEmpty else { return [] }
    let held = try heldUnits(of: operation)
    let missing = listings.filter { held[$0.id] != $0.shape.units }.map(\.id)
    return missing.count <= Self.blobsPerRound
      ? missing : Array(missing.shuffled().prefix(Self.blobsPerRound))
  }

  /// Returns how many units of each blob are archived.
  func heldUnits(of operation: OperationID) throws -> [BlobID: Int] {
    let rows = try database.run(
      "SELECT blob, count(*) FROM units WHERE operation = $1 GROUP BY blob",
      [.bytes(operation.bytes)])
    return try Dictionary(
      uniqueKeysWithValues: rows.map { row in
        guard let blob = BlobID(bytes: row.bytes(0)) else { throw Self.damaged }
        return (blob, Int(row.integer(1)))
      })
  }

  /// Whether something of some blobs is archived.
  func holdsUnits(of blobs: [BlobID], in operation: OperationID) throws -> Bool {
    try !database.run(
      "SELECT 1 FROM units WHERE operation = $1 AND blob = ANY($2::bytea[]) LIMIT 1",
      [.bytes(operation.bytes), .list(blobs.map(\.bytes))]
    ).isEmpty
  }

  /// Returns the numbers of a blob's archived units, in order.
  func unitNumbers(of blob: BlobID, in operation: OperationID) throws -> [Int] {
    try database.run(
      "SELECT number FROM units WHERE operation = $1 AND blob = $2 ORDER BY number",
      [.bytes(operation.bytes), .bytes(blob.bytes)]
    ).map { Int($0.integer(0)) }
  }

  /// Passes on archived units, some megabytes at a time.
  func eachUnit(
    of operation: OperationID, _ selection: ExportSelection.Units, _ body: (BlobUnit) throws -> Void
  ) throws {
    switch selection {
    case .none: return
    case .numbers(let numbers):
      for (blob, some) in numbers.sorted(by: { $0.key < $1.key }) {
        try eachUnit(of: blob, some, in: operation, body)
      }
    case .all:
      for blob in try heldUnits(of: operation).keys.sorted() {
        try eachUnit(of: blob, nil, in: operation, body)
      }
    case .blobs(let blobs):
      for blob in blobs.sorted() { try eachUnit(of: blob, nil, in: operation, body) }
    }
  }

  /// - Parameter numbers: nil for all.
  private func eachUnit(
    of blob: BlobID, _ numbers: [Int]?, in operation: OperationID,
    _ body: (BlobUnit) throws -> Void
  ) throws {
    let rows = try database.run(
      """
      SELECT number, length, path, content FROM units
      WHERE operation = $1 AND blob = $2 AND ($3::bigint[] IS NULL OR number = ANY($3::bigint[]))
      ORDER BY number
      """,
      [
        .bytes(operation.bytes), .bytes(blob.bytes),
        numbers.map { .integers($0.map(UInt64.init)) } ?? .null,
      ])
    for row in rows {
      let path = row.bytes(2)
      // Who can write to the database may have put in anything.
      guard path.count.isMultiple(of: 32), path.count / 32 <= Int(UInt8.max),
        (0..<Int64(UInt16.max)).contains(row.integer(0)),
        (0...Int64(UInt32.max)).contains(row.integer(1))
      else { continue }
      let hashes = stride(from: 0, to: path.count, by: 32).compactMap {
        Bytes32(path[$0..<($0 + 32)])
      }
      try body(
        BlobUnit(
          blob: blob, length: Int(row.integer(1)), number: Int(row.integer(0)), path: hashes,
          bytes: row.bytes(3)))
    }
  }
}
