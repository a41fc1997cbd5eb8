internal import MusterInterchange
internal import MusterModel
internal import NIOCore

/// An archive as one reader sees it: operations that the reader may not read do not exist.
struct ArchiveAPI: Sendable {
  let archive: any OperationArchive
  let reader: ArchiveReader

  /// Rows that are read at once, and tracks: a track may have half a megabyte.
  private static let (batch, trackBatch) = (200, 10)
  /// The batches of rows that one page of a layer reads at most: a page that finds little ends
  /// early, so that no request reads a whole table.
  private static let mostBatches = 50
  /// Text of a page after which it ends, and the text of a whole layer.
  private static let (pageBytes, layerBytes) = (8 << 20, 32 << 20)
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
    var (rows, bytes, after): ([Rows.Row], Int, String?) = ([], 0, cursor)
    // One more than fits shows whether another page follows.
    while rows.count <= limit, bytes <= Self.pageBytes {
      let size = min(Self.batch, limit + 1 - rows.count)
      let more = try await batch(of: set, in: operation, after: after, limit: max(2, size))
      rows += more
      bytes += more.reduce(0) { $0 + $1.json.utf8.count }
      after = more.last?.id
      guard more.count == max(2, size) else {
        return Rows(rows).page(after: nil, limit: Int64(limit))
      }
    }
    return Rows(rows).page(after: nil, limit: Int64(min(limit, rows.count - 1)))
  }

  /// Returns the features of a set that intersect a box, or all. Throws a problem if they are too
  /// many for one response.
  func layer(
    of set: ArchivedSet, in operation: OperationID, box: Box?
  ) async throws -> ByteBuffer {
    var (rows, read, bytes, after): ([Rows.Row], Int, Int, String?) = ([], 0, 0, nil)
    while true {
      let more = try await batch(of: set, in: operation, after: after, limit: Self.batch)
      let wanted = more.filter { row in
        !row.feature.isEmpty && (box.map { row.box?.meets($0) == true } ?? true)
      }
      rows += wanted
      read += more.count
      bytes += wanted.reduce(0) { $0 + $1.feature.utf8.count }
      after = more.last?.id
      guard read <= Self.mostRows, bytes <= Self.layerBytes else {
        throw Problem(
          .unprocessableContent,
          "the layer is too large for one response: read /ogc/collections page by page, or give a "
            + "smaller bbox", at: "bbox")
      }
      guard more.count == Self.batch else { return Rows(rows).features(in: nil) }
    }
  }

  /// Returns some rows by id, after the id of a cursor.
  private func batch(
    of set: ArchivedSet, in operation: OperationID, after cursor: String?, limit: Int
  ) async throws -> [Rows.Row] {
    var after: [UInt8]?
    if let cursor {
      guard let bytes = Hex.decode(cursor), bytes.count == 16 else {
        throw Problem(.badRequest, "the cursor is of no page", at: "cursor")
      }
      after = bytes
    }
    return try await rows(of: set, in: operation, .page(after: after, limit: limit))
  }

  private func rows(
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
    let size = layer.kind == .tracks ? Self.trackBatch : Self.batch
    var (page, bytes) = (FeaturePage(next: cursor), 0)
    for _ in 0..<Self.mostBatches where page.features.count < limit && bytes <= Self.pageBytes {
      let rows = try await batch(
        of: layer.kind.set, in: operation, after: page.next, limit: size)
      let more = try await FeaturePage(
        of: rows, isLast: rows.count < size, limit: limit - page.features.count, cursor: \.id,
        row: { row in layer.kind == .tracks ? try await track(of: row.id, in: operation) : row },
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
