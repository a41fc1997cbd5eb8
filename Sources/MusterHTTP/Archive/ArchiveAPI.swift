internal import MusterInterchange
internal import MusterModel
internal import NIOCore

/// An archive as one reader sees it: operations that the reader may not read do not exist.
struct ArchiveAPI: Sendable {
  let archive: any OperationArchive
  let reader: ArchiveReader
  let bounds: Bounds

  /// Text in bytes after which a page ends, and that of a whole layer.
  struct Bounds: Sendable {
    let page: Int
    let layer: Int

    static let standard = Bounds(page: 8 << 20, layer: 32 << 20)
  }

  /// The people whose tracks are read at once: a track may have half a megabyte.
  private static let trackBatch = 10
  /// The rows that one page of a layer reads at most, and the tracks: a page that finds little ends
  /// early, so that no request reads a whole table.
  private static let (mostPageRows, mostTracks) = (10_000, 500)
  private static let mostRows = 100_000

  /// Returns the operation of a request. Throws a problem if there is none for this reader.
  func operation(_ call: Call) async throws -> OperationID {
    let text = call.path["operation"] ?? ""
    guard let id = OperationID(hex: text), reader.mayRead(id),
      try await archive.names(of: [id])[id] != nil
    else {
      throw Problem(.notFound, "no operation \(text.prefix(40)) is archived for this token")
    }
    return id
  }

  /// Returns a page of a set as JSON, after the id of a cursor. A page of long rows has fewer than
  /// fit by their number.
  func page(
    of set: ArchivedSet, in operation: OperationID, after cursor: String?, limit: Int
  ) async throws -> ByteBuffer {
    var batches = try RowBatches(of: set, in: operation, by: self, after: cursor)
    var rows: [Rows.Row] = []
    // One more than fits shows whether another page follows.
    while rows.count <= limit, batches.bytes <= bounds.page, !batches.isAtEnd {
      rows += try await batches.next()
    }
    let shown = batches.isAtEnd ? limit : min(limit, rows.count - 1)
    return Rows(rows).page(after: nil, limit: Int64(shown))
  }

  /// Returns the features of a set that intersect a box, or all. Throws a problem if they are too
  /// many for one response.
  func layer(
    of set: ArchivedSet, in operation: OperationID, box: Box?
  ) async throws -> ByteBuffer {
    var batches = try RowBatches(of: set, in: operation, by: self, after: nil)
    var (rows, bytes): ([Rows.Row], Int) = ([], 0)
    while !batches.isAtEnd {
      let wanted = try await batches.next().filter { row in
        !row.feature.isEmpty && (box.map { row.box?.meets($0) == true } ?? true)
      }
      rows += wanted
      bytes += wanted.reduce(0) { $0 + $1.feature.utf8.count }
      guard batches.rows <= Self.mostRows, bytes <= bounds.layer else {
        throw Problem(
          .unprocessableContent,
          "the layer is too large for one response: read /ogc/collections page by page")
      }
    }
    return Rows(rows).features(in: nil)
  }

  /// Returns rows of a set by id.
  func rows(
    of set: ArchivedSet, in operation: OperationID, _ selection: SummarySelection
  ) async throws -> [Rows.Row] {
    switch set {
    case .users: try await users(in: operation, selection).map(\.row)
    case .reports: try await reports(in: operation, selection).map(\.row)
    case .fences: try await fences(in: operation, selection).map(\.row)
    case .events: try await events(in: operation, selection).map(\.row)
    case .directives:
      // Deadlines count from the order: the archive is no clock of the operation.
      try await directives(in: operation, selection).map { $0.row(now: $0.createdAt) }
    }
  }

  func users(
    in operation: OperationID, _ selection: SummarySelection
  ) async throws -> [UserSummary] {
    try await archive.summaries(of: .users, in: operation, selection)
  }

  func reports(
    in operation: OperationID, _ selection: SummarySelection
  ) async throws -> [ReportSummary] {
    try await archive.summaries(of: .reports, in: operation, selection)
  }

  func fences(
    in operation: OperationID, _ selection: SummarySelection
  ) async throws -> [FenceSummary] {
    try await archive.summaries(of: .fences, in: operation, selection)
  }

  func events(
    in operation: OperationID, _ selection: SummarySelection
  ) async throws -> [CrossingSummary] {
    try await archive.summaries(of: .events, in: operation, selection)
  }

  func directives(
    in operation: OperationID, _ selection: SummarySelection
  ) async throws -> [DirectiveSummary] {
    try await archive.summaries(of: .directives, in: operation, selection)
  }

  /// Returns the one row with a name. Throws a problem for none or several.
  static func one<Summary>(_ found: [Summary], named name: String) throws(Problem) -> Summary {
    guard found.count == 1 else {
      throw Problem(.notFound, "\(found.count) rows are named \(name.prefix(60))")
    }
    return found[0]
  }

  /// Returns a person by id, callsign, or the first digits of the id.
  func user(in operation: OperationID, named name: String) async throws -> UserSummary {
    let found = try await users(in: operation, .named(name))
    let choices = [
      found.filter { "\($0.id)" == name }, found.filter { $0.callsign == name }, found,
    ]
    return try Self.one(choices.first { !$0.isEmpty } ?? [], named: name)
  }
}

/// One layer for each data set of each operation, named `OPERATION.SET`.
extension ArchiveAPI: FeatureService {
  func featureTitle() -> String { "Archive" }

  func layers() async throws -> [FeatureLayer] {
    let names = try await archive.names(of: reader.operations)
    let operations = names.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
    return operations.prefix(Int(Rows.mostPerPage) / FeatureLayer.Kind.allCases.count).flatMap {
      operation, name in
      FeatureLayer.Kind.allCases.map { Self.layer($0, of: operation, named: name) }
    }
  }

  func layer(named id: String) async throws -> FeatureLayer? {
    let parts = id.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let operation = OperationID(hex: String(parts[0])),
      let kind = FeatureLayer.Kind(rawValue: String(parts[1])), reader.mayRead(operation),
      let name = try await archive.names(of: [operation])[operation]
    else { return nil }
    return Self.layer(kind, of: operation, named: name)
  }

  private static func layer(
    _ kind: FeatureLayer.Kind, of operation: OperationID, named name: String
  ) -> FeatureLayer {
    FeatureLayer(
      id: "\(operation).\(kind.rawValue)", title: "\(name): \(kind.title)", kind: kind,
      operation: operation)
  }

  func page(
    of layer: FeatureLayer, after cursor: String?, limit: Int, where isWanted: (Rows.Row) -> Bool
  ) async throws -> FeaturePage {
    guard let operation = layer.operation else { return FeaturePage() }
    let isTrack = layer.kind == .tracks
    var batches = try RowBatches(
      of: layer.kind.set, in: operation, by: self, after: cursor,
      atMost: isTrack ? Self.trackBatch : 500)
    var (page, bytes) = (FeaturePage(next: cursor), 0)
    while page.features.count < limit, bytes <= bounds.page,
      batches.rows < (isTrack ? Self.mostTracks : Self.mostPageRows)
    {
      let rows = try await batches.next()
      let more = try await FeaturePage(
        of: rows, isLast: batches.isAtEnd, limit: limit - page.features.count, cursor: \.id,
        row: { row in isTrack ? try await track(of: row.id, in: operation) : row },
        where: isWanted)
      page.append(more)
      bytes += more.features.reduce(0) { $0 + $1.utf8.count }
      if page.next == nil { break }
    }
    return page
  }

  func feature(_ id: String, of layer: FeatureLayer) async throws -> String? {
    guard let operation = layer.operation, id.utf8.count == 32 else { return nil }
    let row: Rows.Row? =
      layer.kind == .tracks
      ? try await track(of: id, in: operation)
      : try await rows(of: layer.kind.set, in: operation, .named(id)).first { $0.id == id }
    return row.flatMap { $0.feature.isEmpty ? nil : $0.feature }
  }

  /// Returns the newest fixes of a person; nil without any.
  private func track(of id: String, in operation: OperationID) async throws -> Rows.Row? {
    guard let user = try await users(in: operation, .named(id)).first(where: { "\($0.id)" == id })
    else { return nil }
    return try await archive.track(
      of: user.id, in: operation, from: nil, to: nil, limit: Int(Rows.mostPerPage)
    ).row(of: user)
  }
}

extension FeatureLayer.Kind {
  /// The projected set that a layer shows; of tracks, the people.
  fileprivate var set: ArchivedSet {
    switch self {
    case .members, .tracks: .users
    case .reports: .reports
    case .fences: .fences
    case .events: .events
    }
  }
}
