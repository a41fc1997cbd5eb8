internal import MusterInterchange
internal import MusterLocation
internal import MusterModel

/// The import of a file as rows: what a command states about it.
enum ImportedFile {
  /// Reads a file. Throws `Refusal`, with its path, for one that is not read at all.
  static func read<Content>(
    _ path: String, _ open: (String) throws -> Content
  ) throws -> Content {
    do {
      return try open(path)
    } catch let fault as OverlayFault {
      throw Refusal("\(SafeText.line(path)): \(SafeText.line(fault.description))")
    }
  }

  /// Throws if nothing of a file can be used, or not all of it where that is asked for.
  static func check(
    _ outcome: ImportOutcome, of path: String, isStrict: Bool, _ what: String
  ) throws(Refusal) {
    guard outcome.used == 0 || isStrict && outcome.leftOut > 0 else { return }
    let reason = outcome.omissionText ?? "there is none in it"
    throw Refusal("\(SafeText.line(path)): no \(what) was added; \(reason)")
  }

  /// Adds the rows one after another, and prints what became of the file.
  ///
  /// - Parameters:
  ///   - title: of the progress line.
  ///   - added: `zone added`, and its plural.
  ///   - connection: to the node, which `wait` seconds confirm.
  static func add<Row: Sendable>(
    _ rows: [Row], _ outcome: ImportOutcome, _ title: String,
    _ added: (one: String, many: String), output: OutputOptions, wait: Int?,
    by connection: NodeConnection, _ add: (Row) async throws -> RowID
  ) async throws {
    let confirmation = try await WriteConfirmation(wait: wait, connection: connection)
    let ids = try await ids(of: rows, title, output, add)
    try await print(ids, outcome, output, connection, added)
    if let text = try await confirmation?.text() { Standard.complain(text) }
  }

  /// Adds the rows, and prints their ids unless the output is JSON: also those before one that the
  /// node rejects.
  private static func ids<Row: Sendable>(
    of rows: [Row], _ title: String, _ output: OutputOptions,
    _ add: (Row) async throws -> RowID
  ) async throws -> [RowID] {
    var ids: [RowID] = []
    func printIDs() throws {
      if !output.json { for id in ids { try Standard.print("\(id)") } }
    }
    do {
      ids = try await ProgressLine.during(title) { line in
        for row in rows {
          ids.append(try await add(row))
          line.update("\(ids.count) of \(rows.count)")
        }
        return ids
      }
    } catch {
      try printIDs()
      Standard.complain("\(ids.count) of \(rows.count) were added before this error:")
      throw error
    }
    try printIDs()
    return ids
  }

  /// Prints what became of a file, whose ids are printed already unless the output is JSON.
  private static func print(
    _ ids: [RowID], _ outcome: ImportOutcome, _ output: OutputOptions,
    _ connection: NodeConnection, _ added: (one: String, many: String)
  ) async throws {
    if output.json {
      try Standard.print(
        JSON.object([
          "ids": .array(ids.map(JSON.id)), "import": outcome.json,
          "leftOut": .strings(outcome.omissions.map(\.description)),
        ]).text)
    }
    for omission in outcome.omissions { Standard.complain("left out: \(omission)") }
    let more = outcome.leftOut - outcome.omissions.count
    if more > 0 { Standard.complain("left out: \(more) more") }
    let text = ValueText.count(ids.count, added.one, added.many)
    let whole = outcome.leftOut == 0 ? text : "\(text), \(outcome.leftOut) left out"
    Standard.complain(ids.isEmpty ? whole : await connection.withReach(whole))
  }
}
