internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// The layers of a node: each data set of its operation.
extension API: FeatureService {
  /// The tracks of a page.
  private static let mostTracks = 100

  func featureTitle() async throws -> String { try await status().summary.operationName }

  func layers() -> [FeatureLayer] {
    FeatureLayer.Kind.allCases.map {
      FeatureLayer(id: $0.rawValue, title: $0.title, kind: $0, operation: nil)
    }
  }

  func layer(named id: String) -> FeatureLayer? { layers().first { $0.id == id } }

  func page(
    of layer: FeatureLayer, after cursor: String?, limit: Int,
    where isWanted: (Rows.Row) -> Bool
  ) async throws -> FeaturePage {
    switch layer.kind {
    case .members, .reports, .fences:
      let rows = try await rows(layer.kind.set).rows(after: cursor)
      return try await FeaturePage(
        of: rows, limit: limit, cursor: \.id, row: { $0 }, where: isWanted)
    case .tracks:
      // A track is long: those of one page are read, and the one that decides whether more follow.
      let users = try await people().filter { user in cursor.map { $0 < "\(user.id)" } ?? true }
      return try await FeaturePage(
        of: users, limit: min(limit, Self.mostTracks), cursor: { "\($0.id)" },
        row: { try await track(of: $0) }, where: isWanted)
    case .events:
      guard let arrival = Int64(cursor ?? "0") else {
        throw Problem(.badRequest, "the cursor is of no page", at: "cursor")
      }
      // A page that finds little ends early, so that no request reads the whole table.
      let command = Command.events(after: arrival, limit: Int(Rows.mostPerPage))
      guard case .events(let events) = try await ask(command) else { throw Problem.unexpected }
      return try await FeaturePage(
        of: events, isLast: events.count < Rows.mostPerPage, limit: limit,
        cursor: { "\($0.arrival)" }, row: \.row, where: isWanted)
    }
  }

  func feature(_ id: String, of layer: FeatureLayer) async throws -> String? {
    switch layer.kind {
    case .members, .reports, .fences:
      guard let row = try await rows(layer.kind.set)[id], !row.feature.isEmpty else { return nil }
      return row.feature
    case .events:
      guard let id = CrossingID(hex: id) else { return nil }
      return try await node.crossing(id)?.row.feature
    case .tracks:
      guard let user = try await people().first(where: { "\($0.id)" == id }) else { return nil }
      return try await track(of: user)?.feature
    }
  }

  private func people() async throws -> [UserSummary] {
    guard case .users(let users) = try await ask(.users) else { throw Problem.unexpected }
    return users.sorted { "\($0.id)" < "\($1.id)" }
  }

  /// Returns the newest fixes of a person; nil without any.
  private func track(of user: UserSummary) async throws -> Rows.Row? {
    try await node.track(of: user.id, limit: Int(Rows.mostPerPage)).row(of: user)
  }
}

extension FeatureLayer.Kind {
  /// The list that a layer shows. MUST NOT be asked of events and tracks.
  fileprivate var set: API.Listed {
    switch self {
    case .members: .users
    case .reports: .reports
    case .fences: .fences
    case .events, .tracks: preconditionFailure("\(self) is no list")
    }
  }
}
