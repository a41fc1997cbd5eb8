internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// Delta sync: clients that keep a copy of a set receive the rows that changed.
enum SyncRoutes {
  static let routes: [Route] = SyncedSet.allCases.map { set in
    Route(
      .get, "/api/v1/sync/\(set.name)", "Get the \(set.name) that changed since an earlier sync",
      rights: rights(of: set),
      parameters: [
        ListRoutes.paging[0],
        Route.Parameter(
          name: "lastSync", shape: .count, isRequired: false,
          about: "The `startedAt` of the previous sync; all rows without it."),
        Route.Parameter(
          name: "nextToken", shape: .text, isRequired: false,
          about: "The `nextToken` of the previous page."),
      ],
      result: .json(
        .open([
          .must("items", .list(.named("SyncItem"), most: Int(Rows.mostPerPage))),
          .must("nextToken", .nullable(.text)), .must("startedAt", .count),
        ]))
    ) { api, call in try await answer(set, api, call) }
  }

  private static func rights(of set: SyncedSet) -> RouteRights {
    set == .records
      ? .laptop(.read, "records are those of the node's user, on that laptop only") : .read
  }

  /// The shape of an item; the row's own members are those that its list documents.
  static let item = Shape.open([
    .must("id", .reference), .must("_version", .count), .must("_lastChangedAt", .count),
    .must("_deleted", .flag),
  ])

  private static func answer(_ set: SyncedSet, _ api: API, _ call: Call) async throws -> Answer {
    let lastSync = call.queryInteger("lastSync") ?? 0
    var token: SyncToken?
    if let text = call.query["nextToken"]?.word {
      token = SyncToken(text)
      guard let token, token.set == set, token.lastSync == lastSync else {
        throw Problem(.badRequest, "this is no nextToken of this query", at: "nextToken")
      }
    }
    let changes = DeltaSync(api.node)
    // A moment that this database has not reached is one of another database.
    let newest = max(try await changes.newestMoment(of: set), SystemClock.wall.milliseconds)
    let isDelta = (1...newest).contains(lastSync)
    let position =
      token?.position ?? RowChangePosition(moment: isDelta ? lastSync : 0, row: nil)
    let limit = Int(call.queryInteger("limit") ?? Rows.page)
    let page = try await changes.page(of: set, after: position, limit: limit)
    let startedAt = token?.startedAt ?? page.newestMoment
    let items = page.items.filter { isDelta || !$0.isDeleted }.map(\.json)
    let next = page.next.map {
      SyncToken(set: set, startedAt: startedAt, lastSync: lastSync, position: $0).text
    }
    return .ok(
      .object([
        "items": .array(items), "nextToken": .known(next, JSON.string),
        "startedAt": .integer(startedAt),
      ]))
  }
}

/// The continuation of a sync, as text for the client.
private struct SyncToken {
  let set: SyncedSet
  let startedAt: Int64
  let lastSync: Int64
  let position: RowChangePosition

  init(set: SyncedSet, startedAt: Int64, lastSync: Int64, position: RowChangePosition) {
    self.set = set
    self.startedAt = startedAt
    self.lastSync = lastSync
    self.position = position
  }

  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 5, let set = SyncedSet(name: parts[0]),
      let startedAt = Int64(parts[1]), let lastSync = Int64(parts[2]),
      let moment = Int64(parts[3]), let row = RowID(hex: parts[4])
    else { return nil }
    self.init(
      set: set, startedAt: startedAt, lastSync: lastSync,
      position: RowChangePosition(moment: moment, row: row))
  }

  var text: String {
    let row = position.row.map { "\($0)" } ?? ""
    return "\(set.name).\(startedAt).\(lastSync).\(position.moment).\(row)"
  }
}

extension SyncPage.Item {
  var isDeleted: Bool {
    switch content {
    case .deleted: true
    case .record(_, let record): record.value == nil
    case .user, .report, .fence: false
    }
  }

  /// The members that people write: those that follow from time, positions, photos or deliveries
  /// are not changes of the row.
  var json: JSON {
    let row: JSON =
      switch content {
      case .user(let user): user.json.members.keeping(Self.userMembers)
      case .report(let report): report.json.members.without(["delivery"])
      case .fence(let fence): fence.json.members.without(["inside"])
      case .record(let dataset, let record):
        .object([
          "dataset": .string(dataset), "key": .string(record.key),
          "value": .known(record.value, JSON.string), "syncCount": .unsigned(record.syncCount),
          "otherValues": .array(record.otherValues.map { .known($0, JSON.string) }),
          "modifiedAt": .time(record.modifiedAt), "writtenAt": .time(record.writtenAt),
        ])
      case .deleted: .object([:])
      }
    return row.adding([
      "id": .id(change.row), "_version": .integer(change.version),
      "_lastChangedAt": .integer(change.moment), "_deleted": .bool(isDeleted),
    ])
  }

  private static var userMembers: Set<String> {
    ["id", "callsign", "role", "owner", "team", "word", "override"]
  }
}

extension [String: JSON]? {
  fileprivate func keeping(_ names: Set<String>) -> JSON {
    .object((self ?? [:]).filter { names.contains($0.key) })
  }

  fileprivate func without(_ names: Set<String>) -> JSON {
    .object((self ?? [:]).filter { !names.contains($0.key) })
  }
}
