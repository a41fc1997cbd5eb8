/// The steps for ages: stamps, moments of arrival, and records until they are folded.
extension Migrations {
  static let stamps = """
    -- Boots of this machine in which the node ran. Times of its boot clock belong to one of them.
    CREATE TABLE boots(
      number INTEGER PRIMARY KEY,
      id BLOB NOT NULL CHECK(length(id) = 16)
    ) STRICT;

    -- Anchors of the last 24 h that arrived or were made in the newest boot, in that order: what
    -- later records are dated by. Echoes are names of 16 bytes, joined.
    CREATE TABLE anchors(
      place INTEGER PRIMARY KEY,
      name BLOB NOT NULL UNIQUE CHECK(length(name) = 16),
      author BLOB NOT NULL CHECK(length(author) = 16),
      is_own INTEGER NOT NULL,
      boot BLOB NOT NULL CHECK(length(boot) = 16),
      milliseconds INTEGER NOT NULL,
      echoes BLOB NOT NULL,
      arrived_ms INTEGER NOT NULL
    ) STRICT;

    -- The newest stamped record of each device and tracker from each source (1 position,
    -- 2 presence, 3 frame in the urgent lane), and when it was made: between earliest_ms (NULL: not
    -- known) and latest_ms of a boot of this machine. boot is NULL where it has no stamp, echoes
    -- where it is no anchor.
    CREATE TABLE stamps(
      subject BLOB NOT NULL CHECK(length(subject) = 16),
      source INTEGER NOT NULL,
      author BLOB NOT NULL CHECK(length(author) = 16),
      name BLOB NOT NULL CHECK(length(name) = 16),
      boot BLOB CHECK(length(boot) = 16),
      milliseconds INTEGER CHECK((milliseconds IS NULL) = (boot IS NULL)),
      echoes BLOB,
      made_boot INTEGER NOT NULL,
      earliest_ms INTEGER,
      latest_ms INTEGER NOT NULL,
      PRIMARY KEY(subject, source)
    ) STRICT, WITHOUT ROWID;

    -- When frames of the urgent lane were made: likewise.
    CREATE TABLE frame_stamps(
      name BLOB PRIMARY KEY CHECK(length(name) = 16),
      author BLOB NOT NULL CHECK(length(author) = 16),
      boot BLOB CHECK(length(boot) = 16),
      milliseconds INTEGER CHECK((milliseconds IS NULL) = (boot IS NULL)),
      made_boot INTEGER NOT NULL,
      earliest_ms INTEGER,
      latest_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- The journal of arrivals: which frame (1) or record (2) came here, or was written here, and
    -- when. Of each author (the first eight bytes of the certificate's hash) and kind the newest
    -- entries are kept.
    CREATE TABLE arrivals(
      author INTEGER NOT NULL,
      kind INTEGER NOT NULL,
      number INTEGER NOT NULL,
      name BLOB NOT NULL CHECK(length(name) = 16),
      boot INTEGER NOT NULL,
      arrived_ms INTEGER NOT NULL,
      wall_ms INTEGER NOT NULL,
      PRIMARY KEY(author, kind, number)
    ) STRICT, WITHOUT ROWID;
    """

  static let moments = """
    -- Moments at which frames arrived, or were written, here: one for each commit.
    CREATE TABLE moments(
      number INTEGER PRIMARY KEY,
      boot INTEGER NOT NULL,
      arrived_ms INTEGER NOT NULL,
      wall_ms INTEGER NOT NULL
    ) STRICT;
    INSERT INTO moments(boot, arrived_ms, wall_ms)
      SELECT DISTINCT boot, arrived_ms, wall_ms FROM arrivals WHERE kind = 1
      ORDER BY boot, arrived_ms;

    -- NULL where it is not known.
    ALTER TABLE frames ADD COLUMN moment INTEGER;
    UPDATE frames SET moment = moments.number FROM arrivals JOIN moments
      ON moments.boot = arrivals.boot AND moments.arrived_ms = arrivals.arrived_ms
        AND moments.wall_ms = arrivals.wall_ms
      WHERE arrivals.kind = 1 AND arrivals.name = frames.name;

    -- From here on the journal of records alone.
    DELETE FROM arrivals WHERE kind = 1;
    """

  static let staging = """
    -- Records of other devices in the order of their arrival, until they are folded into records,
    -- positions, stamps and anchors. Appended to, and emptied as a whole.
    CREATE TABLE staged_records(
      place INTEGER PRIMARY KEY,
      topic BLOB NOT NULL CHECK(length(topic) = 16),
      kind INTEGER NOT NULL,
      certificate BLOB NOT NULL CHECK(length(certificate) = 32),
      generation INTEGER NOT NULL,
      incarnation BLOB NOT NULL CHECK(length(incarnation) = 16),
      counter INTEGER NOT NULL,
      epoch BLOB NOT NULL CHECK(length(epoch) = 16),
      body BLOB NOT NULL,
      signature BLOB NOT NULL,
      -- The boot clock of this machine at the arrival.
      boot INTEGER NOT NULL,
      arrived_ms INTEGER NOT NULL
    ) STRICT;

    -- The journal of arrivals of records, in their order: appended at one end, deleted from at the
    -- other, so that an arrival of any author writes to the same page.
    CREATE TABLE record_arrivals(
      place INTEGER PRIMARY KEY,
      author INTEGER NOT NULL,
      name BLOB NOT NULL CHECK(length(name) = 16),
      boot INTEGER NOT NULL,
      arrived_ms INTEGER NOT NULL,
      wall_ms INTEGER NOT NULL
    ) STRICT;
    INSERT INTO record_arrivals(author, name, boot, arrived_ms, wall_ms)
      SELECT author, name, boot, arrived_ms, wall_ms FROM arrivals WHERE kind = 2
      ORDER BY boot, arrived_ms;
    DROP TABLE arrivals;

    -- Anchors without an index of their names, which are random: the place is known in memory.
    CREATE TABLE placed_anchors(
      place INTEGER PRIMARY KEY,
      name BLOB NOT NULL CHECK(length(name) = 16),
      author BLOB NOT NULL CHECK(length(author) = 16),
      is_own INTEGER NOT NULL,
      boot BLOB NOT NULL CHECK(length(boot) = 16),
      milliseconds INTEGER NOT NULL,
      echoes BLOB NOT NULL,
      arrived_ms INTEGER NOT NULL
    ) STRICT;
    INSERT INTO placed_anchors SELECT * FROM anchors ORDER BY place;
    DROP TABLE anchors;
    ALTER TABLE placed_anchors RENAME TO anchors;
    """
}
