internal import GRDB
internal import MusterModel

/// The SQL of replies to requests with an idempotency key.
///
/// Each caller has the newest `Limits.repliesPerCaller`. Of these, the oldest are deleted after a
/// week, except the newest `Limits.repliesKept`: a wall clock that jumps deletes none of them.
enum ReplyTable {
  /// The replies of all callers are counted at each place that is a multiple of this.
  private static let countedPlaces: Int64 = 64

  static func insert(_ replies: [StoredReply], in database: Database) throws {
    for reply in replies {
      let request = reply.request
      try database.run(
        """
        INSERT OR REPLACE INTO replies(name, caller, fingerprint, content, stored_at_ms)
        VALUES (?, ?, ?, ?, ?)
        """,
        [
          request.name.blob, request.caller.blob, request.fingerprint.blob, reply.content.blob,
          reply.storedAt.column,
        ])
    }
    let newest = Dictionary(replies.map { ($0.request.caller, $0) }) { $1 }
    for (caller, reply) in newest { try trim(caller, now: reply.storedAt, in: database) }
    let place = database.lastInsertedRowID
    if place % countedPlaces < Int64(replies.count) { try trimAll(in: database) }
  }

  static func reply(named name: Bytes32, in database: Database) throws -> StoredReply? {
    try database.first(
      "SELECT caller, name, fingerprint, content, stored_at_ms FROM replies WHERE name = ?",
      [name.blob], of: "replies"
    ) {
      let request = RequestKey(
        caller: try $0.bytes16(), name: try $0.bytes32(), fingerprint: try $0.bytes32())
      return StoredReply(
        request: request, content: try $0.bytes(), storedAt: try $0.timestamp())
    }
  }

  private static func trim(_ caller: Bytes16, now: Timestamp, in database: Database) throws {
    try database.run(
      """
      DELETE FROM replies WHERE caller = ?1 AND place <= (SELECT place FROM replies
        WHERE caller = ?1 ORDER BY place DESC LIMIT 1 OFFSET ?2)
      """, [caller.blob, .integer(Limits.repliesPerCaller)])
    let age = Limits.replyMilliseconds
    try database.run(
      """
      DELETE FROM replies WHERE caller = ?1 AND stored_at_ms NOT BETWEEN ?3 AND ?4
        AND place <= (SELECT place FROM replies
          WHERE caller = ?1 ORDER BY place DESC LIMIT 1 OFFSET ?2)
      """,
      [
        caller.blob, .integer(Limits.repliesKept), .integer(now.milliseconds - age),
        .integer(now.milliseconds + age),
      ])
  }

  /// Counts rows and not places: one caller's writes must not delete the replies of others, who
  /// wrote less.
  private static func trimAll(in database: Database) throws {
    try database.run(
      """
      DELETE FROM replies WHERE place IN (SELECT place FROM replies ORDER BY place
        LIMIT max(0, (SELECT count(*) FROM replies) - ?))
      """, [.integer(Limits.replies)])
  }
}
