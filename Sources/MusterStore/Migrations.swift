internal import Foundation
internal import GRDB
internal import MusterCRDT
internal import MusterModel

/// The form of the database, in numbered steps. A released step is never edited.
enum Migrations {
  static var all: DatabaseMigrator {
    var migrator = DatabaseMigrator().disablingDeferredForeignKeyChecks()
    migrator.registerMigration("1 log, view and local facts") { try $0.execute(sql: first) }
    migrator.registerMigration("2 what damage left") { try $0.execute(sql: damage) }
    migrator.registerMigration("3 strands of forked logs") { try $0.execute(sql: strands) }
    migrator.registerMigration("4 one opening to a log") { try $0.execute(sql: openings) }
    migrator.registerMigration("5 ways of trackers") { try $0.execute(sql: trackers) }
    migrator.registerMigration("6 certificates that were shown") {
      try $0.execute(sql: certificates)
    }
    migrator.registerMigration("7 stamps and arrivals") { try $0.execute(sql: stamps) }
    migrator.registerMigration("8 moments of arrival") { try $0.execute(sql: moments) }
    migrator.registerMigration("9 membership evidence") { try $0.execute(sql: evidence) }
    migrator.registerMigration("10 owners of tracks") { try addOwners(to: $0) }
    migrator.registerMigration("11 earlier fixes") { try $0.execute(sql: earlierFixes) }
    migrator.registerMigration("12 staged records") { try $0.execute(sql: staging) }
    migrator.registerMigration("14 photos") { try $0.execute(sql: photos) }
    migrator.registerMigration("15 changes of rows") { try $0.execute(sql: rowChanges) }
    migrator.registerMigration("16 records by data set") { try $0.execute(sql: recordIndex) }
    migrator.registerMigration("17 history of people") { try $0.execute(sql: history) }
    migrator.registerMigration("18 replies to requests") { try $0.execute(sql: replies) }
    migrator.registerMigration("20 invites for a person") { try $0.execute(sql: invitesOfUsers) }
    migrator.registerMigration("21 crossings by sample time") {
      try $0.execute(sql: crossingsBySample)
    }
    migrator.registerMigration("22 changes in rows") { try $0.execute(sql: changesInRows) }
    migrator.registerMigration("23 revocations before invites") {
      try $0.execute(sql: invitesAndRevocations)
    }
    migrator.registerMigration("24 lists of blobs in order") { try $0.execute(sql: blobLists) }
    migrator.registerMigration("25 withdrawn invites") { try $0.execute(sql: withdrawnInvites) }
    migrator.registerMigration("26 ages of fixes") { try $0.execute(sql: fixAges) }
    migrator.registerMigration("27 all lists of a blob") { try $0.execute(sql: listsOfBlobs) }
    migrator.registerMigration("28 what waits beside rows") { try $0.execute(sql: pendingWrites) }
    return migrator
  }

  private static let first = """
    -- One log that is held, with what its opening (frame 0) says and its newest frame.
    -- Frames refer to it by the short ref.
    CREATE TABLE logs(
      ref INTEGER PRIMARY KEY CHECK(ref BETWEEN 1 AND 0x7FFFFFFE),
      log BLOB NOT NULL UNIQUE CHECK(length(log) = 16),
      certificate BLOB NOT NULL CHECK(length(certificate) = 32),
      incarnation BLOB NOT NULL CHECK(length(incarnation) = 16),
      generation INTEGER NOT NULL,
      lane INTEGER NOT NULL,
      -- The same lane's head in the incarnation before, where there was one.
      previous_log BLOB,
      previous_sequence INTEGER,
      previous_hash BLOB,
      head_sequence INTEGER NOT NULL,
      head_hash BLOB NOT NULL CHECK(length(head_hash) = 32)
    ) STRICT;

    -- The log: every frame held, verbatim. The truth that rows and crossings are derived from.
    -- place = ref << 32 | sequence, so that a run of frames lies together on disk. The previous
    -- hash is that of the place before.
    CREATE TABLE frames(
      place INTEGER PRIMARY KEY,
      -- The first half of the frame's hash, by which dots name it, and the second half.
      name BLOB NOT NULL CHECK(length(name) = 16),
      rest BLOB NOT NULL CHECK(length(rest) = 16),
      -- NULL where the body is clear.
      epoch BLOB CHECK(length(epoch) = 16),
      body BLOB NOT NULL,
      -- NULL where a later frame of its run proves it.
      signature BLOB
    ) STRICT;
    CREATE INDEX frames_by_name ON frames(name);

    -- Frames that are held and not applied, and what each waits for:
    -- 1 its epoch's key, 2 a newer program, 3 the other parts, 4 its author's certificate.
    CREATE TABLE waiting(
      place INTEGER PRIMARY KEY REFERENCES frames(place),
      reason INTEGER NOT NULL CHECK(reason BETWEEN 1 AND 4),
      epoch BLOB CHECK((epoch IS NOT NULL) = (reason = 1))
    ) STRICT;
    CREATE INDEX waiting_by_epoch ON waiting(epoch, place) WHERE epoch IS NOT NULL;

    -- The merged state of each user, report and fence. Row ids are random, so the states lie in
    -- order of arrival and only the small index is written at random.
    CREATE TABLE rows(
      place INTEGER PRIMARY KEY,
      kind INTEGER NOT NULL,
      id BLOB NOT NULL CHECK(length(id) = 16),
      state BLOB NOT NULL,
      UNIQUE(kind, id)
    ) STRICT;

    -- ENTER (1) and EXIT (2) events. An arrival number is never given twice.
    CREATE TABLE crossings(
      arrival INTEGER PRIMARY KEY AUTOINCREMENT,
      id BLOB NOT NULL UNIQUE CHECK(length(id) = 16),
      type INTEGER NOT NULL,
      fence BLOB NOT NULL,
      fence_version BLOB NOT NULL,
      subject BLOB NOT NULL,
      transition_number INTEGER NOT NULL,
      latitude_e7 INTEGER NOT NULL,
      longitude_e7 INTEGER NOT NULL,
      accuracy_decimetres INTEGER,
      sampled_at_ms INTEGER NOT NULL,
      is_baseline INTEGER NOT NULL,
      author_user BLOB NOT NULL,
      author_device BLOB NOT NULL,
      author_role INTEGER NOT NULL,
      written_at_ms INTEGER NOT NULL
    ) STRICT;

    -- The newest signed record of each topic, as it came, to be forwarded.
    CREATE TABLE records(
      topic BLOB PRIMARY KEY CHECK(length(topic) = 16),
      kind INTEGER NOT NULL,
      certificate BLOB NOT NULL,
      generation INTEGER NOT NULL,
      incarnation BLOB NOT NULL,
      counter INTEGER NOT NULL,
      epoch BLOB NOT NULL,
      body BLOB NOT NULL,
      signature BLOB NOT NULL
    ) STRICT;

    -- Where each device was last known to be, by its newest record that could be read.
    CREATE TABLE positions(
      device BLOB PRIMARY KEY CHECK(length(device) = 16),
      user BLOB NOT NULL CHECK(length(user) = 16),
      generation INTEGER NOT NULL,
      incarnation BLOB NOT NULL,
      counter INTEGER NOT NULL,
      latitude_e7 INTEGER NOT NULL,
      longitude_e7 INTEGER NOT NULL,
      accuracy_decimetres INTEGER,
      sampled_at_ms INTEGER NOT NULL,
      reported_at_ms INTEGER NOT NULL
    ) STRICT;

    -- Group content keys, in the clear: the file's mode is 0600.
    CREATE TABLE epochs(
      id BLOB PRIMARY KEY CHECK(length(id) = 16),
      key BLOB NOT NULL CHECK(length(key) = 32)
    ) STRICT;

    -- Small facts of this node alone: its incarnation, counters, the crossing detector's state.
    CREATE TABLE local(
      key TEXT PRIMARY KEY,
      value BLOB NOT NULL
    ) STRICT;

    -- Invitations that this device made. It alone counts their uses.
    CREATE TABLE invites(
      id BLOB PRIMARY KEY CHECK(length(id) = 16),
      secret BLOB NOT NULL,
      role INTEGER NOT NULL,
      uses_left INTEGER NOT NULL CHECK(uses_left >= 0),
      expires_at_ms INTEGER NOT NULL,
      created_at_ms INTEGER NOT NULL
    ) STRICT;

    -- Who used an invitation, so that a join request that is repeated counts once.
    CREATE TABLE admissions(
      invite BLOB NOT NULL REFERENCES invites(id) ON DELETE CASCADE,
      device BLOB NOT NULL CHECK(length(device) = 16),
      PRIMARY KEY(invite, device)
    ) STRICT, WITHOUT ROWID;

    -- Addresses at which peers were heard, to be tried again after a restart.
    CREATE TABLE peers(
      address BLOB NOT NULL CHECK(length(address) IN (4, 16)),
      port INTEGER NOT NULL,
      scope INTEGER NOT NULL,
      -- NULL until somebody has proved to be there.
      device BLOB,
      -- NULL for an address that was configured and never heard.
      last_heard_ms INTEGER,
      PRIMARY KEY(address, port, scope)
    ) STRICT, WITHOUT ROWID;

    -- This node's own track.
    CREATE TABLE fixes(
      place INTEGER PRIMARY KEY,
      latitude_e7 INTEGER NOT NULL,
      longitude_e7 INTEGER NOT NULL,
      accuracy_decimetres INTEGER,
      sampled_at_ms INTEGER NOT NULL,
      reported_at_ms INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX fixes_by_time ON fixes(sampled_at_ms);
    """

  private static let damage = """
    -- Frames that were read out of a damaged database and wait to be verified again, or for those
    -- before them. Several copies may claim one place.
    CREATE TABLE set_aside(
      number INTEGER PRIMARY KEY,
      log BLOB NOT NULL CHECK(length(log) = 16),
      sequence INTEGER NOT NULL,
      name BLOB NOT NULL CHECK(length(name) = 16),
      rest BLOB NOT NULL CHECK(length(rest) = 16),
      epoch BLOB CHECK(length(epoch) = 16),
      body BLOB NOT NULL,
      signature BLOB
    ) STRICT;
    CREATE INDEX set_aside_by_place ON set_aside(log, sequence);

    -- How far logs came before the damage: what is not held up to here is missing.
    CREATE TABLE known_heads(
      log BLOB PRIMARY KEY CHECK(length(log) = 16),
      certificate BLOB NOT NULL CHECK(length(certificate) = 32),
      sequence INTEGER NOT NULL
    ) STRICT;
    """

  private static let strands = """
    -- A forked log is a tree of strands, each a row of logs: where branches part, one strand ends
    -- and others begin. A strand's frames have the ref of their own row, and go on from the head
    -- of its parent.
    --
    -- The log that a strand is of; NULL for a log's own, which begins with frame 0.
    ALTER TABLE logs ADD COLUMN origin BLOB CHECK(length(origin) = 16);
    -- The strand that it goes on from, and the hash of the frame before its first.
    ALTER TABLE logs ADD COLUMN parent BLOB CHECK((parent IS NULL) = (origin IS NULL));
    ALTER TABLE logs ADD COLUMN base_hash BLOB CHECK((base_hash IS NULL) = (origin IS NULL));
    ALTER TABLE logs ADD COLUMN first_sequence INTEGER NOT NULL DEFAULT 0;
    -- 1: strands go on from its head.
    ALTER TABLE logs ADD COLUMN is_parted INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX strands ON logs(origin) WHERE origin IS NOT NULL;
    """

  private static let trackers = """
    -- The ways of the phones and other trackers that this node speaks for, by their rows. A phone
    -- that was out of reach tells late, and one that heard no answer tells again.
    CREATE TABLE tracker_fixes(
      place INTEGER PRIMARY KEY,
      tracker BLOB NOT NULL CHECK(length(tracker) = 16),
      latitude_e7 INTEGER NOT NULL,
      longitude_e7 INTEGER NOT NULL,
      accuracy_decimetres INTEGER,
      sampled_at_ms INTEGER NOT NULL,
      reported_at_ms INTEGER NOT NULL,
      UNIQUE(tracker, sampled_at_ms)
    ) STRICT;
    """

  /// Rows of tracks are many and asked for by person: their owner gets a column and an index.
  private static func addOwners(to database: Database) throws {
    try database.execute(
      sql: """
        -- Whose row it is; NULL for the kinds of rows that nobody asks for by owner.
        ALTER TABLE rows ADD COLUMN owner BLOB CHECK(length(owner) = 16);
        CREATE INDEX rows_by_owner ON rows(owner, kind) WHERE owner IS NOT NULL;
        """)
    let columns = "SELECT place, id, state FROM rows WHERE kind = ?"
    let rows = try Row.fetchAll(database, sql: columns, arguments: [EntityKind.track.rawValue])
    for row in rows {
      guard let id = RowID(bytes: row[1] as Data) else { continue }
      let owner: UserID
      do {
        let state = try RowState(
          key: RowKey(kind: .track, id: id), decoding: Array(row[2] as Data))
        guard let origin = state.origin else { continue }
        owner = origin.owner
      } catch {
        // The view is derived again from the log at the first start of this version.
        continue
      }
      try database.execute(
        sql: "UPDATE rows SET owner = ? WHERE place = ?",
        arguments: [Data(owner.bytes), row[0] as Int64])
    }
  }

  private static let earlierFixes = """
    -- Fixes of earlier records that the position does not supersede; none is four bytes of zero.
    ALTER TABLE positions ADD COLUMN earlier BLOB NOT NULL DEFAULT x'00000000';
    """

  private static let openings = """
    -- An opening says what its log's name is made of, and nothing else.
    ALTER TABLE logs DROP COLUMN previous_log;
    ALTER TABLE logs DROP COLUMN previous_sequence;
    ALTER TABLE logs DROP COLUMN previous_hash;
    """

  private static let certificates = """
    -- Certificates that devices proved themselves with or that peers handed over, each with the
    -- signatures of its issuers up to the root verified.
    CREATE TABLE certificates(
      hash BLOB PRIMARY KEY CHECK(length(hash) = 32),
      content BLOB NOT NULL,
      signature BLOB NOT NULL CHECK(length(signature) = 64)
    ) STRICT, WITHOUT ROWID;
    """

  private static let evidence = """
    -- Membership evidence, with its signatures verified: kind 1 proves that a log has more branches
    -- than count.
    CREATE TABLE evidence(
      id BLOB PRIMARY KEY CHECK(length(id) = 32),
      kind INTEGER NOT NULL,
      content BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- Which frames wrote to which rows, and gave which crossings (kind 0). Kept from the first time
    -- on that other frames count than before (the local fact "row index"): then the rows that these
    -- frames wrote are derived anew, and no others.
    CREATE TABLE row_frames(
      kind INTEGER NOT NULL,
      row BLOB NOT NULL CHECK(length(row) = 16),
      place INTEGER NOT NULL,
      PRIMARY KEY(kind, row, place)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX row_frames_by_place ON row_frames(place);
    """

  private static let rowChanges = """
    -- The moment at which a row of a synced set last changed at this node, and the number of
    -- commits that changed it. The rows of an earlier program changed before every other.
    CREATE TABLE row_changes(
      set_number INTEGER NOT NULL,
      row BLOB NOT NULL CHECK(length(row) = 16),
      moment INTEGER NOT NULL,
      version INTEGER NOT NULL,
      PRIMARY KEY(set_number, row)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX row_changes_in_order ON row_changes(set_number, moment, row);
    INSERT OR IGNORE INTO row_changes(set_number, row, moment, version)
      SELECT CASE kind WHEN 2 THEN 2 WHEN 3 THEN 3 ELSE 1 END, id, 1, 1 FROM rows
      WHERE kind IN (1, 2, 3, 6);
    """

  private static let recordIndex = """
    -- The records of each data set of a user, with the sync counts of their last changes at this
    -- node. A record without bytes is removed. No earlier program wrote records.
    CREATE TABLE record_index(
      row BLOB PRIMARY KEY CHECK(length(row) = 16),
      owner BLOB NOT NULL CHECK(length(owner) = 16),
      dataset BLOB NOT NULL,
      key BLOB NOT NULL,
      sync_count INTEGER NOT NULL,
      bytes INTEGER,
      created_ms INTEGER NOT NULL,
      modified_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    -- It covers the sums of a data set.
    CREATE INDEX record_index_in_order ON record_index(
      owner, dataset, sync_count, row, bytes, created_ms, modified_ms);
    """

  private static let replies = """
    -- Replies to requests with an idempotency key, each stored in the transaction of what its
    -- request wrote. Places grow, so the oldest of a caller have the lowest.
    CREATE TABLE replies(
      place INTEGER PRIMARY KEY,
      name BLOB NOT NULL UNIQUE CHECK(length(name) = 32),
      caller BLOB NOT NULL CHECK(length(caller) = 16),
      fingerprint BLOB NOT NULL CHECK(length(fingerprint) = 32),
      content BLOB NOT NULL,
      stored_at_ms INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX replies_by_caller ON replies(caller, place);
    """

  private static let invitesOfUsers = """
    -- The person who receives another device with the invite; NULL for a new person each time.
    ALTER TABLE invites ADD COLUMN user BLOB CHECK(length(user) = 16);
    """

  private static let invitesAndRevocations = """
    -- How many devices of the person were revoked when the invite was made; NULL if that is not
    -- known. A later revocation closes it.
    ALTER TABLE invites ADD COLUMN revoked INTEGER;
    """

  private static let withdrawnInvites = """
    -- When a commander withdrew the invite; NULL if none did.
    ALTER TABLE invites ADD COLUMN withdrawn_at_ms INTEGER;
    """

  private static let fixAges = """
    -- How old the fix was at its receipt (`SampleAge.code`), and the time from then to the record.
    ALTER TABLE positions ADD COLUMN fix_age_kind INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE positions ADD COLUMN fix_age_ms INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE positions ADD COLUMN held_ms INTEGER NOT NULL DEFAULT 0;
    -- The record that published the fix first.
    ALTER TABLE positions ADD COLUMN fix_generation INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE positions ADD COLUMN fix_incarnation BLOB NOT NULL DEFAULT x'';
    ALTER TABLE positions ADD COLUMN fix_counter INTEGER NOT NULL DEFAULT 0;
    UPDATE positions SET
      fix_generation = generation, fix_incarnation = incarnation, fix_counter = counter;
    """

  private static let pendingWrites = """
    -- Writes that arrived before the origin of their row. Rows are derived again at the first start
    -- of this version.
    CREATE TABLE waiting_writes(
      kind INTEGER NOT NULL,
      row BLOB NOT NULL CHECK(length(row) = 16),
      frame BLOB NOT NULL CHECK(length(frame) = 16),
      number INTEGER NOT NULL,
      content BLOB NOT NULL,
      PRIMARY KEY(kind, row, frame, number)
    ) STRICT, WITHOUT ROWID;
    -- Who supersedes writes that are not applied yet: no bytes for an author who may supersede
    -- everyone's.
    CREATE TABLE superseders(
      kind INTEGER NOT NULL,
      row BLOB NOT NULL CHECK(length(row) = 16),
      field INTEGER NOT NULL,
      frame BLOB NOT NULL CHECK(length(frame) = 16),
      number INTEGER NOT NULL,
      of_user BLOB NOT NULL,
      PRIMARY KEY(kind, row, field, frame, number, of_user)
    ) STRICT, WITHOUT ROWID;
    """

  private static let crossingsBySample = """
    -- A page of the timeline reads its own crossings.
    CREATE INDEX crossings_by_sample ON crossings(sampled_at_ms, id);
    """

  private static let changesInRows = """
    -- The changes of a row of a synced set lie in the row, which each of them writes anyway: NULL
    -- for other rows. A blank row, without a state, is derived no longer.
    ALTER TABLE rows ADD COLUMN moment INTEGER;
    ALTER TABLE rows ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
    UPDATE rows SET moment = 1 WHERE kind IN (1, 2, 3, 6, 11);
    UPDATE rows SET moment = change.moment, version = change.version FROM row_changes AS change
      WHERE change.set_number = CASE kind WHEN 6 THEN 1 WHEN 11 THEN 4 ELSE kind END
        AND change.row = id AND kind IN (1, 2, 3, 6, 11);
    INSERT INTO rows(kind, id, state, moment, version)
      SELECT CASE set_number WHEN 4 THEN 11 ELSE set_number END, row, x'', moment, version
      FROM row_changes AS change WHERE NOT EXISTS (
        SELECT 1 FROM rows WHERE id = change.row AND kind IN (1, 2, 3, 6, 11)
          AND CASE kind WHEN 6 THEN 1 WHEN 11 THEN 4 ELSE kind END = change.set_number);
    DROP TABLE row_changes;
    CREATE INDEX rows_by_change ON rows(kind, moment, id) WHERE moment IS NOT NULL;
    """
}
