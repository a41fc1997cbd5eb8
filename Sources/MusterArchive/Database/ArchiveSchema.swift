/// The tables of an archive, in the schema `muster` of its database (docs/archive.md).
enum ArchiveSchema {
  /// The version that this program reads and writes. Raise it with each change of a table.
  static let version: Int64 = 2

  /// The key of the advisory lock under which tables are created.
  private static let lock: Int64 = 0x6D75_7374_6572

  /// Creates the tables of frames if the database has none. Throws for those of a newer program.
  static func prepare(_ database: DatabaseConnection) throws {
    try database.transaction {
      try database.run("SELECT pg_advisory_xact_lock($1::bigint)", [.integer(lock)])
      let exists = try database.run(
        "SELECT to_regclass('muster.archive') IS NOT NULL")
      guard exists.first?.integer(0) != 0 else { return try database.script(frames + photos) }
      let found = try database.run("SELECT max(version) FROM muster.archive").first?.integer(0) ?? 0
      guard found <= version else {
        throw ArchiveFault(
          "the archive has schema version \(found), and this program knows \(version): update "
            + "muster-archive on this machine; nothing was stored")
      }
      if found < 2 {
        try database.script(photos + "UPDATE muster.archive SET version = \(version);")
      }
    }
  }

  /// Creates the tables of projections if they are missing. They need PostGIS.
  static func prepareProjection(_ database: DatabaseConnection) throws {
    try database.transaction {
      try database.run("SELECT pg_advisory_xact_lock($1::bigint)", [.integer(lock)])
      let exists = try database.run("SELECT to_regclass('muster.projections') IS NOT NULL")
      guard exists.first?.integer(0) == 0 else {
        try database.script(additions)
        return try addSummaries(database)
      }
      let extensions = try database.run(
        """
        SELECT (SELECT count(*) FROM pg_extension WHERE extname = 'postgis'),
          (SELECT count(*) FROM pg_available_extensions WHERE name = 'postgis')
        """)
      if extensions.first?.integer(0) == 0 {
        guard extensions.first?.integer(1) != 0 else {
          throw ArchiveFault(
            "this PostgreSQL has no PostGIS: install it on the server (Debian: "
              + "postgresql-postgis), then run this again")
        }
        do {
          try database.script("CREATE EXTENSION postgis WITH SCHEMA public")
        } catch {
          throw ArchiveFault(
            "PostGIS is not enabled in this database: let its administrator run "
              + "`CREATE EXTENSION postgis`, then run this again")
        }
      }
      try database.script(projections + additions)
    }
  }

  /// Adds a column that earlier programs did not have. It is written with the next projection.
  private static func addSummaries(_ database: DatabaseConnection) throws {
    let columns = try database.run(
      """
      SELECT 1 FROM pg_attribute
      WHERE attrelid = 'muster.users'::regclass AND attname = 'summary'
      """)
    guard columns.isEmpty else { return }
    for table in ["users", "reports", "fences", "events", "directives"] {
      try database.script("ALTER TABLE muster.\(table) ADD COLUMN summary jsonb")
    }
  }

  /// Insert-only: what is verified is never changed. Writers of one operation take turns by a lock
  /// on its row.
  private static let frames = """
    CREATE SCHEMA IF NOT EXISTS muster;
    CREATE TABLE muster.archive (version integer NOT NULL);
    INSERT INTO muster.archive VALUES (\(version));
    CREATE TABLE muster.operations (
      id bytea PRIMARY KEY, root_key bytea NOT NULL, name text NOT NULL,
      since timestamptz NOT NULL DEFAULT now());

    -- One verified frame. Two with the same sequence of a log are a fork.
    CREATE TABLE muster.frames (
      operation bytea NOT NULL, log bytea NOT NULL, sequence bigint NOT NULL, hash bytea NOT NULL,
      previous bytea NOT NULL, epoch bytea, blob_list bytea, body bytea NOT NULL, signature bytea,
      received_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (operation, log, sequence, hash)) PARTITION BY HASH (operation);
    \((0..<8).map { part in
      "CREATE TABLE muster.frames_\(part) PARTITION OF muster.frames "
        + "FOR VALUES WITH (MODULUS 8, REMAINDER \(part));"
    }.joined(separator: "\n"))
    CREATE FUNCTION muster.keep_frames() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'frames of an archive are never changed or deleted'; END $$;
    CREATE TRIGGER keep_frames BEFORE UPDATE OR DELETE ON muster.frames
      FOR EACH ROW EXECUTE FUNCTION muster.keep_frames();

    CREATE TABLE muster.logs (
      operation bytea NOT NULL, log bytea NOT NULL, certificate bytea NOT NULL,
      lane smallint NOT NULL, PRIMARY KEY (operation, log));
    -- The newest frame of each branch of a log, and the frames after which it forks: a cursor that
    -- all posts share.
    CREATE TABLE muster.heads (
      operation bytea NOT NULL, log bytea NOT NULL, sequence bigint NOT NULL, hash bytea NOT NULL,
      is_fork boolean NOT NULL, PRIMARY KEY (operation, log, hash));
    CREATE TABLE muster.certificates (
      operation bytea NOT NULL, hash bytea NOT NULL, content bytea NOT NULL,
      signature bytea NOT NULL, PRIMARY KEY (operation, hash));
    CREATE TABLE muster.evidence (
      operation bytea NOT NULL, id bytea NOT NULL, kind smallint NOT NULL, content bytea NOT NULL,
      PRIMARY KEY (operation, id));
    -- Epoch keys, each sealed to one device. Only that device can check a box, so each post has
    -- its own.
    CREATE TABLE muster.keys (
      operation bytea NOT NULL, epoch bytea NOT NULL, device bytea NOT NULL, post bytea NOT NULL,
      box bytea NOT NULL, PRIMARY KEY (operation, epoch, device, post));
    CREATE TABLE muster.posts (
      operation bytea NOT NULL, device bytea NOT NULL, offered bigint NOT NULL,
      stored bigint NOT NULL, refused bigint NOT NULL, last_at timestamptz NOT NULL,
      PRIMARY KEY (operation, device));
    """

  /// Added by version 2.
  private static let photos = """
    -- A verified piece of a photo's ciphertext, with the hashes that prove it.
    CREATE TABLE muster.units (
      operation bytea NOT NULL, blob bytea NOT NULL, number bigint NOT NULL, length bigint NOT NULL,
      path bytea NOT NULL, content bytea NOT NULL, PRIMARY KEY (operation, blob, number));
    -- Ciphertext cannot be compressed.
    ALTER TABLE muster.units ALTER COLUMN content SET STORAGE EXTERNAL;
    CREATE INDEX frames_with_blobs ON muster.frames (operation) WHERE blob_list IS NOT NULL;
    """

  /// Tables that an earlier program did not have.
  private static let additions = """
    CREATE TABLE IF NOT EXISTS muster.records (
      operation bytea NOT NULL, id bytea NOT NULL, person bytea NOT NULL, callsign text NOT NULL,
      dataset text NOT NULL, key text NOT NULL, value text, modified_at timestamptz,
      document jsonb NOT NULL, summary jsonb, PRIMARY KEY (operation, id));
    -- Photos of reports in clear.
    CREATE TABLE IF NOT EXISTS muster.blobs (
      operation bytea NOT NULL, id bytea NOT NULL, report bytea NOT NULL, callsign text NOT NULL,
      type text NOT NULL, position geography(Point), taken_at timestamptz, content bytea,
      document jsonb NOT NULL, summary jsonb, PRIMARY KEY (operation, id));
    ALTER TABLE muster.blobs ALTER COLUMN content SET STORAGE EXTERNAL;
    -- Revoked devices whose persons' positions are those that count now.
    CREATE TABLE IF NOT EXISTS muster.revocations (
      operation bytea NOT NULL, device bytea NOT NULL, person bytea NOT NULL,
      PRIMARY KEY (operation, device));
    """

  /// `document` is for those who use SQL, `summary` for the HTTP API and exports.
  private static let projections = """
    CREATE TABLE muster.projections (
      operation bytea PRIMARY KEY, state_hash bytea NOT NULL, frames bigint NOT NULL,
      projected_at timestamptz NOT NULL);
    CREATE TABLE muster.users (
      operation bytea NOT NULL, id bytea NOT NULL, callsign text NOT NULL, role text NOT NULL,
      team text NOT NULL, status text NOT NULL, position geography(Point), fix_at timestamptz,
      document jsonb NOT NULL, summary jsonb, PRIMARY KEY (operation, id));
    CREATE TABLE muster.reports (
      operation bytea NOT NULL, id bytea NOT NULL, title text NOT NULL, details text NOT NULL,
      category text NOT NULL, severity smallint, status text NOT NULL, callsign text NOT NULL,
      position geography(Point), created_at timestamptz, updated_at timestamptz,
      document jsonb NOT NULL, summary jsonb, PRIMARY KEY (operation, id));
    CREATE TABLE muster.fences (
      operation bytea NOT NULL, id bytea NOT NULL, name text NOT NULL, kind text NOT NULL,
      is_active boolean NOT NULL, area geography, document jsonb NOT NULL, summary jsonb,
      PRIMARY KEY (operation, id));
    CREATE TABLE muster.events (
      operation bytea NOT NULL, id bytea NOT NULL, type text NOT NULL, fence bytea NOT NULL,
      fence_name text NOT NULL, callsign text NOT NULL, at timestamptz,
      position geography(Point), document jsonb NOT NULL, summary jsonb,
      PRIMARY KEY (operation, id));
    CREATE TABLE muster.directives (
      operation bytea NOT NULL, id bytea NOT NULL, document jsonb NOT NULL, summary jsonb,
      PRIMARY KEY (operation, id));
    CREATE TABLE muster.positions (
      operation bytea NOT NULL, person bytea NOT NULL, callsign text NOT NULL,
      at timestamptz NOT NULL, position geography(Point) NOT NULL, accuracy_metres real,
      PRIMARY KEY (operation, person, at)) PARTITION BY RANGE (at);
    -- Days that no clock should show.
    CREATE TABLE muster.positions_other PARTITION OF muster.positions DEFAULT;
    CREATE INDEX positions_at ON muster.positions USING brin (at);
    CREATE INDEX positions_position ON muster.positions USING gist (position);
    CREATE INDEX reports_position ON muster.reports USING gist (position);
    CREATE INDEX events_position ON muster.events USING gist (position);
    """
}
