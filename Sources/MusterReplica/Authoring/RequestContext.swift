internal import MusterCRDT
internal import MusterCrypto
internal import MusterModel
internal import MusterStore

/// What a request reads and draws: the rows after earlier commands of the transaction, the statuses
/// of people, and random ids and keys.
struct RequestContext {
  /// Written only by what every read may change: caches, and frames of gathered writes.
  private var replica: Replica
  let now: ClockReading

  /// Returns the draft of a request by this replica's user.
  static func draft<Answer>(
    of request: WriteRequest<Answer>, by replica: inout Replica, now: ClockReading
  ) throws -> Draft<Answer> {
    var context = RequestContext(replica: consume replica, now: now)
    do {
      let draft = try request.draft(&context)
      replica = context.replica
      return draft
    } catch {
      replica = context.replica
      throw error
    }
  }

  // MARK: Rows

  /// What the read models read.
  var read: ReadContext { replica.context }
  /// This device's user.
  var user: UserID { replica.local.author.user }
  var operation: OperationID { replica.operation }

  /// Returns the row that the request is about to change.
  mutating func settled(_ kind: EntityKind, _ id: RowID) throws -> RowState {
    try replica.settled(kind, id, now: now)
  }

  /// Returns the row that the request is about to change or to create.
  mutating func settled(_ key: RowKey) throws -> RowState {
    try replica.settle(key, now: now)
    return try read.row(key) ?? RowState(key: key)
  }

  /// Returns the rows of a kind after the previous commands.
  mutating func settledRows(_ kind: EntityKind) throws -> [RowState] {
    try replica.settledRows(kind, now: now)
  }

  /// Returns the row of a user, or of a listed tracker.
  mutating func person(_ user: UserID) throws -> RowState {
    for kind in [EntityKind.tracker, .user] {
      try replica.settle(RowKey(kind: kind, id: RowID(raw: user.raw)), now: now)
    }
    let tracker = try read.row(RowKey(kind: .tracker, id: RowID(raw: user.raw)))
    if let tracker, tracker.exists { return tracker }
    let key = RowKey(kind: .user, id: RowID(raw: user.raw))
    return try read.row(key) ?? RowState(key: key)
  }

  // MARK: Statuses

  /// Returns the queries about people, orders and check-ins, with the statuses now.
  mutating func statuses() throws -> StatusQueries { try replica.statuses(now: now) }

  // MARK: Draws

  /// Returns the composer of a new row of this device's user.
  mutating func compose(_ kind: EntityKind) -> Composer { replica.own.compose(kind, now: now) }

  /// Draws the origin of a new row of this device's user.
  mutating func newOrigin() -> RowOrigin { replica.own.newOrigin(now: now) }

  /// Draws a key that is used once.
  mutating func drawKey() -> AgreementKey { replica.own.drawKey(now: now) }

  /// Seals a photo under new keys.
  mutating func seal(_ draft: PhotoDraft) throws -> SealedPhoto {
    replica.own.random.stir(now.entropy)
    return try SealedPhoto(draft, random: &replica.own.random)
  }
}
