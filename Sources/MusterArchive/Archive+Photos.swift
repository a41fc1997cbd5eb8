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
  private func heldUnits(of operation: OperationID) throws -> [BlobID: Int] {
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

  /// Passes on the archived units, some megabytes at a time.
  ///
  /// - Parameter blobs: nil for all.
  func eachUnit(
    of operation: OperationID, blobs: Set<BlobID>? = nil, _ body: (BlobUnit) throws -> Void
  ) throws {
    for blob in try heldUnits(of: operation).keys.sorted() where blobs?.contains(blob) != false {
      let rows = try database.run(
        """
        SELECT number, length, path, content FROM units WHERE operation = $1 AND blob = $2
        ORDER BY number
        """, [.bytes(operation.bytes), .bytes(blob.bytes)])
      for row in rows {
        let path = row.bytes(2)
        guard path.count.isMultiple(of: 32) else { throw Self.damaged }
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
}
