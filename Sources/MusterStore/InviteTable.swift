internal import GRDB
internal import MusterModel

/// The SQL of invites and their uses.
enum InviteTable {
  private static let columns =
    "id, secret, role, user, revoked, uses_left, expires_at_ms, created_at_ms, withdrawn_at_ms"

  static func insert(_ invite: Invite, in database: Database) throws {
    try database.run(
      "INSERT INTO invites(\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        + " ON CONFLICT DO NOTHING",
      [
        invite.id.blob, invite.secret.blob, invite.role.rawValue.column, invite.user?.blob ?? .null,
        invite.revokedDevices?.column ?? .null, invite.usesLeft.column, invite.expiresAt.column,
        invite.createdAt.column, invite.withdrawnAt?.column ?? .null,
      ])
  }

  static func invite(_ id: InviteID, in database: Database) throws -> Invite? {
    try database.first(
      "SELECT \(columns) FROM invites WHERE id = ?", [id.blob], of: "invites", read)
  }

  static func invites(_ database: Database) throws -> [Invite] {
    try database.all(
      "SELECT \(columns) FROM invites ORDER BY created_at_ms, id", of: "invites", read)
  }

  static func hasAdmitted(
    _ device: DeviceID, by id: InviteID, in database: Database
  ) throws -> Bool {
    try database.first(
      "SELECT 1 FROM admissions WHERE invite = ? AND device = ?", [id.blob, device.blob],
      of: "admissions"
    ) { _ in true } ?? false
  }

  /// Devices that have used an invite, by id.
  static func admitted(by id: InviteID, in database: Database) throws -> [DeviceID] {
    try database.all(
      "SELECT device FROM admissions WHERE invite = ? ORDER BY device", [id.blob],
      of: "admissions"
    ) { try $0.identifier() }
  }

  static func admit(_ device: DeviceID, by id: InviteID, in database: Database) throws {
    try database.run(
      "INSERT INTO admissions(invite, device) VALUES (?, ?)", [id.blob, device.blob])
    try database.run("UPDATE invites SET uses_left = uses_left - 1 WHERE id = ?", [id.blob])
  }

  static func withdraw(_ id: InviteID?, at moment: Timestamp, in database: Database) throws {
    try database.run(
      "UPDATE invites SET withdrawn_at_ms = ? WHERE id = ifnull(?, id) AND withdrawn_at_ms IS NULL",
      [moment.column, id?.blob ?? .null])
  }

  private static func read(_ columns: inout ColumnReader) throws -> Invite {
    Invite(
      id: try columns.identifier(), secret: try columns.bytes(), role: try columns.code(),
      user: try columns.optionalBytes16().map(UserID.init(raw:)),
      revokedDevices: try columns.optionalInteger(), usesLeft: try columns.integer(),
      expiresAt: try columns.timestamp(), createdAt: try columns.timestamp(),
      withdrawnAt: try columns.optionalInteger().map { Timestamp(milliseconds: $0) })
  }
}
