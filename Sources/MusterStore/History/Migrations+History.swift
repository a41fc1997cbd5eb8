extension Migrations {
  static let history = """
    -- What this node learnt of people, and showed of them, and when: see HistoryBatch. Times are
    -- milliseconds of this machine's wall clock.
    CREATE TABLE history_periods(
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      started_ms INTEGER NOT NULL,
      ended_ms INTEGER NOT NULL,
      bytes INTEGER NOT NULL
    ) STRICT;

    -- Everything about one period lies together. Kinds: 1 fixes of a device, 2 statuses of a
    -- person, 3 a status that did not change.
    CREATE TABLE history(
      period INTEGER NOT NULL,
      kind INTEGER NOT NULL,
      subject BLOB NOT NULL CHECK(length(subject) = 16),
      person BLOB NOT NULL CHECK(length(person) = 16),
      author BLOB NOT NULL CHECK(length(author) = 16),
      body BLOB NOT NULL,
      PRIMARY KEY(period, kind, subject)
    ) STRICT, WITHOUT ROWID;

    -- The current period, batch by batch, until it is folded. Appended to, and emptied as a whole.
    CREATE TABLE history_tail(
      place INTEGER PRIMARY KEY,
      body BLOB NOT NULL
    ) STRICT;

    -- What was learnt in this period about an earlier one, in the order of arrival.
    CREATE TABLE late_history(
      place INTEGER PRIMARY KEY,
      period INTEGER NOT NULL,
      author BLOB NOT NULL CHECK(length(author) = 16),
      kind INTEGER NOT NULL,
      subject BLOB NOT NULL CHECK(length(subject) = 16),
      person BLOB NOT NULL CHECK(length(person) = 16),
      event_ms INTEGER NOT NULL,
      learnt_ms INTEGER NOT NULL,
      variant INTEGER NOT NULL,
      body BLOB NOT NULL,
      UNIQUE(kind, subject, event_ms, variant)
    ) STRICT;
    CREATE INDEX late_history_by_author ON late_history(author, place);
    """
}
