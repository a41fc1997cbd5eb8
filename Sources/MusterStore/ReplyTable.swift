internal import GRDB
internal import MusterModel

/// The SQL of replies to requests with an idempotency key.
///
/// Each caller has the newest `Limits.repliesPerCaller`. Of these, the oldest are deleted after a
/// week, except the newest `Limits.repliesKept`: a wall clock that jumps deletes none of them.
enum ReplyTable {
  static func insert(_ reply: StoredReply, in database: Database) throws {
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
    try trim(request.caller, now: reply.storedAt, in: database)
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
    try database.run(
      "DELETE FROM replies WHERE place <= (SELECT max(place) FROM replies) - ?",
      [.integer(Limits.replies)])
  }
}
