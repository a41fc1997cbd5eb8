internal import GRDB
internal import MusterModel

/// The SQL of stored peer addresses.
enum PeerTable {
  /// Stores an address. Known details are kept if the new entry lacks them.
  static func remember(_ peer: RememberedPeer, in database: Database) throws {
    try database.run(
      """
      INSERT INTO peers(address, port, scope, device, last_heard_ms) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET device = coalesce(excluded.device, device),
        last_heard_ms = max(coalesce(excluded.last_heard_ms, last_heard_ms),
                            coalesce(last_heard_ms, excluded.last_heard_ms))
      """,
      [
        peer.endpoint.address.blob, peer.endpoint.port.column, peer.endpoint.scope.column,
        peer.device.column { $0.blob }, peer.lastReceived.column { $0.column },
      ])
  }

  /// Deletes all but `limit` addresses: unauthenticated ones first, then those received longest
  /// ago.
  static func trim(to limit: Int, in database: Database) throws {
    let count = try database.first("SELECT count(*) FROM peers", of: "peers") {
      try $0.integer(Int.self)
    }
    guard let count, count > limit else { return }
    try database.run(
      """
      DELETE FROM peers WHERE (address, port, scope) IN (
        SELECT address, port, scope FROM peers
        ORDER BY device IS NULL, last_heard_ms DESC, address, port, scope LIMIT -1 OFFSET ?)
      """, [limit.column])
  }

  static func peers(_ database: Database) throws -> [RememberedPeer] {
    try database.all(
      """
      SELECT address, port, scope, device, last_heard_ms FROM peers
      ORDER BY last_heard_ms DESC, address, port, scope
      """, of: "peers"
    ) { columns in
      let address = try columns.bytes()
      let port: UInt16 = try columns.integer()
      let scope: UInt32 = try columns.integer()
      guard let endpoint = Endpoint(address: address, port: port, scope: scope) else {
        throw columns.damage
      }
      let device = try columns.optionalBytes16().map(DeviceID.init(raw:))
      let received: Int64? = try columns.optionalInteger()
      return RememberedPeer(
        endpoint: endpoint, device: device,
        lastReceived: received.map(Timestamp.init(milliseconds:)))
    }
  }
}
