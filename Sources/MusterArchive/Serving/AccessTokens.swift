internal import MusterCrypto
internal import MusterHTTP
public import MusterModel

/// The token of an agency for the HTTP API. Only its hash is stored.
public struct AccessToken: Hashable, Sendable {
  /// The first digits of the hash, by which it is listed and revoked.
  public var id: String
  /// Who uses it.
  public var agency: String
  /// The operations that it may read, by id; nil for all, also later ones.
  public var operations: [OperationID]?
  /// By the clock of the server: RFC 3339.
  public var createdAt: String
  /// When it was revoked; nil if it is valid.
  public var revokedAt: String?
}

/// The access tokens of an archive. A token has 256 random bits, so that a fast hash suffices
/// (`docs/decisions/0067`).
public struct AccessTokens {
  let database: DatabaseConnection

  /// Creates a token, and returns it: it cannot be read again. Throws `ArchiveFault`.
  ///
  /// - Parameters:
  ///   - operations: names, or the beginnings of ids; nil for all operations.
  ///   - secret: 32 bytes from the operating system, used nowhere else.
  public func create(
    for agency: String, operations: [String]?, secret: [UInt8]
  ) throws -> (token: AccessToken, text: String) {
    precondition(secret.count == 32, "a secret of \(secret.count) bytes")
    try prepare()
    let ids = try operations?.map(ProjectionReader(database: database).operation(named:))
    let text = Hex.encode(secret)
    let hash = Blake2b.hash256(Array(text.utf8)).bytes
    let id = String(Hex.encode(hash).prefix(8))
    try database.run(
      "INSERT INTO access_tokens VALUES ($1, $2, $3, $4::bytea[])",
      [
        .text(id), .text(agency), .bytes(hash), ids.map { .list($0.map(\.bytes)) } ?? .null,
      ])
    guard let token = try tokens(where: "id = $1", [.text(id)]).first else { throw Archive.damaged }
    return (token, text)
  }

  /// Returns all tokens, in the order of their creation. Throws `ArchiveFault`.
  public func all() throws -> [AccessToken] {
    guard try exist() else { return [] }
    return try tokens(where: "true", [])
  }

  private func tokens(where condition: String, _ values: [SQLValue]) throws -> [AccessToken] {
    try database.run(
      """
      SELECT id, agency, array_to_string(
          ARRAY(SELECT encode(o, 'hex') FROM unnest(operations) AS o), ','),
        operations IS NULL, \(Self.time("created_at")), \(Self.time("revoked_at"))
      FROM access_tokens WHERE \(condition) ORDER BY created_at, id
      """, values
    ).map { row in
      AccessToken(
        id: row.text(0), agency: row.text(1),
        operations: row.integer(3) != 0
          ? nil : row.text(2).split(separator: ",").compactMap { OperationID(hex: String($0)) },
        createdAt: row.text(4), revokedAt: row.columns[5].map { _ in row.text(5) })
    }
  }

  /// Revokes a token at once. Throws `ArchiveFault` if there is no valid one with that id.
  public func revoke(_ id: String) throws {
    let revoked =
      try exist()
      ? database.run(
        "UPDATE access_tokens SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL "
          + "RETURNING id", [.text(id)]) : []
    guard !revoked.isEmpty else {
      throw ArchiveFault("no valid token has the id \(id): see `muster-archive token list`")
    }
  }

  /// Returns the reader with a token; nil for an unknown or revoked one. Throws `ArchiveFault`.
  func reader(withHash hash: [UInt8]) throws -> ArchiveReader? {
    guard try exist() else { return nil }
    return try tokens(where: "hash = $1 AND revoked_at IS NULL", [.bytes(hash)]).first.map {
      ArchiveReader(agency: $0.agency, operations: $0.operations)
    }
  }

  private func exist() throws -> Bool {
    try database.run("SELECT to_regclass('muster.access_tokens') IS NOT NULL").first?.integer(0)
      != 0
  }

  private func prepare() throws {
    guard try !exist() else { return }
    try database.script(
      """
      -- Who may read over HTTP. Without operations: all of them.
      CREATE TABLE IF NOT EXISTS muster.access_tokens (
        id text PRIMARY KEY, agency text NOT NULL, hash bytea NOT NULL UNIQUE,
        operations bytea[], created_at timestamptz NOT NULL DEFAULT now(),
        revoked_at timestamptz);
      """)
  }

  private static func time(_ column: String) -> String {
    "to_char(\(column) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
  }
}

extension Archive {
  /// The tokens of agencies for this archive.
  public var accessTokens: AccessTokens { AccessTokens(database: database) }
}
