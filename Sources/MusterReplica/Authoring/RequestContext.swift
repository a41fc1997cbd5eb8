internal import MusterCRDT
internal import MusterCrypto
internal import MusterModel

/// What a request reads and draws: the rows after earlier commands of the transaction, the statuses
/// of people, and random ids and keys.
struct RequestContext {
  /// Written only by what every read may change: caches, and frames of gathered writes.
  private var core: ReplicaCore
  let now: ClockReading
  /// The person or login that this device writes for; nil for its own user.
  let onBehalfOf: Principal?

  /// Returns the draft of a request.
  static func draft<Answer>(
    of request: WriteRequest<Answer>, for principal: Principal?,
    in core: inout ReplicaCore, now: ClockReading
  ) throws -> Draft<Answer> {
    var context = RequestContext(core: consume core, now: now, onBehalfOf: principal)
    do {
      var draft = try request.draft(&context)
      draft.onBehalfOf = principal
      core = context.core
      return draft
    } catch {
      core = context.core
      throw error
    }
  }

  // MARK: Rows

  /// What the read models read.
  var read: ReadContext { core.context }
  /// This device's user.
  var user: UserID { core.local.author.user }
  var operation: OperationID { core.local.operation }
  /// Who writes: the login's person, or this device's user.
  var writer: Writer { Writer(user, onBehalfOf: onBehalfOf) }

  /// Rejects a command of this device, unless it has one of these roles and is not revoked.
  func require(_ roles: Role...) throws(Refusal) {
    try core.control.require(roles, of: core.local)
  }

  /// Returns the row that the request is about to change.
  mutating func settled(_ kind: EntityKind, _ id: RowID) throws -> RowState {
    try WriteGroup.settled(kind, id, in: &core, now: now)
  }

  /// Returns the row that the request is about to change or to create.
  mutating func settled(_ key: RowKey) throws -> RowState {
    try WriteGroup.settle(key, in: &core, now: now)
    return try read.row(key) ?? RowState(key: key)
  }

  /// Returns the rows of a kind after the previous commands.
  mutating func settledRows(_ kind: EntityKind) throws -> [RowState] {
    try WriteGroup.settledRows(kind, in: &core, now: now)
  }

  /// Returns what the requests about a data set of this device's user read, after the previous
  /// commands.
  mutating func knownRecords(of dataset: String) throws -> KnownRecords {
    let uncommitted = try WriteGroup.uncommittedRecords(of: user, in: &core, now: now)
    return try KnownRecords(of: dataset, uncommitted: uncommitted, in: core.context)
  }

  /// Returns the reports that a login of this node filed, after the previous commands.
  func reports(of login: String) throws -> LoginReports {
    try LoginReports(of: login, local)
  }

  /// Returns a local setting, after the previous commands.
  func local(_ key: String) throws -> [UInt8]? {
    try core.transaction.batch.local[key] ?? core.store.local(key)
  }

  /// Returns the calls that messages of a phone made, after the previous commands.
  ///
  /// - Parameter tracker: nil for the phone of this device's user.
  func phoneCalls(of tracker: Bytes16?) throws -> PhoneCallLog {
    try PhoneCallLog(of: tracker) { try core.transaction.batch.local[$0] ?? core.store.local($0) }
  }

  /// Returns the row of a user, or of a listed tracker.
  mutating func person(_ user: UserID) throws -> RowState {
    for kind in [EntityKind.tracker, .user] {
      try WriteGroup.settle(
        RowKey(kind: kind, id: RowID(raw: user.raw)), in: &core, now: now)
    }
    let tracker = try read.row(RowKey(kind: .tracker, id: RowID(raw: user.raw)))
    if let tracker, tracker.exists { return tracker }
    let key = RowKey(kind: .user, id: RowID(raw: user.raw))
    return try read.row(key) ?? RowState(key: key)
  }

  // MARK: Statuses

  /// Returns the queries about people, orders and check-ins, with the statuses now.
  mutating func statuses() throws -> StatusQueries { try StatusQueries(of: &core, now: now) }

  // MARK: Draws

  /// Returns the composer of a new row of this device's user.
  mutating func compose(_ kind: EntityKind) -> Composer { core.own.compose(kind, now: now) }

  /// Draws the origin of a new row of this device's user.
  mutating func newOrigin() -> RowOrigin { core.own.newOrigin(now: now) }

  /// Draws a key that is used once.
  mutating func drawKey() -> AgreementKey { core.own.drawKey(now: now) }

  /// Seals a photo under new keys. Throws `Refusal` if it is out of range, or one too many.
  mutating func seal(_ draft: PhotoDraft) throws -> SealedPhoto {
    try core.derived.photos.requireRoom(for: draft, of: core.local.certificate.hash)
    core.own.random.stir(now.entropy)
    return try SealedPhoto(draft, random: &core.own.random)
  }
}
