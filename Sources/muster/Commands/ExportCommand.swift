internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Export the operation for maps and spreadsheets.",
    discussion: """
      Example:  muster export --format geojson > flood.geojson
                muster export --format gpkg --out flood.gpkg
                muster export --format kmz --out flood.kmz
                muster export --format csv --out flood.csv --photos photos

      GeoPackage (gpkg) and GeoJSON are for QGIS, ArcGIS and web maps, KML for Google Earth, KMZ \
      the same with photos, GPX for GPS receivers (without zones), CSV for spreadsheets. Exports \
      people, reports, zones and tracks; CSV and GeoPackage also events. A track is complete only \
      for this laptop, phones that report to it, and people who share theirs. Incomplete photos \
      are left out.
      """)

  enum Format: String, CaseIterable, ExpressibleByArgument {
    case geojson, gpkg, kml, kmz, csv, gpx

    var isText: Bool { self != .kmz && self != .gpkg }
  }

  @Option(help: "The output format.")
  var format: Format

  @Option(
    help: ArgumentHelp("The file to write; standard output without it.", valueName: "file"),
    completion: .file())
  var out: String?

  @Option(
    help: ArgumentHelp("A folder to write all photos to.", valueName: "folder"), completion: .file()
  )
  var photos: String?

  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp(
      "Mark CSV as UTF-8 for Excel. (default: with --out)"))
  var bom: Bool?

  @OptionGroup(title: "Node") var home: HomeOptions

  /// Events in one request, well below the size limit of a reply.
  private static let page = 10_000

  func validate() throws {
    if bom != nil, format != .csv { throw ValidationError("--bom and --no-bom are for CSV") }
    guard !format.isText, out == nil else { return }
    throw ValidationError("a \(format.rawValue.uppercased()) file is not a text: give --out FILE")
  }

  func run() async throws {
    let connection = try await NodeConnection.open(home)
    guard case .status(let status) = try await connection.ask(.status),
      case .users(let users) = try await connection.ask(.users),
      case .reports(let reports) = try await connection.ask(.reports),
      case .fences(let fences) = try await connection.ask(.fences)
    else { throw Refusal.unexpectedReply }
    let export = try await ProgressLine.during("Exporting") { progress in
      OperationExport(
        name: status.operationName, users: users, reports: reports, fences: fences,
        events: try await Self.events(of: connection),
        tracks: try await Self.tracks(of: users, by: connection, progress))
    }
    var files = PhotoFiles(connection: connection)
    if format == .kmz || photos != nil { try await files.find(in: reports) }
    if let photos { try await files.write(toFolder: photos) }
    switch (format, out) {
    case (.kmz, let out?):
      try await files.writeArchive(to: out, beginningWith: export.kml(with: files.found))
    case (_, let out?): try OutputFile.write(contents(of: export), to: out)
    case (_, nil): try Standard.write(contents(of: export))
    }
    if let remark = files.remark { Standard.complain(remark) }
  }

  private func contents(of export: OperationExport) throws -> [UInt8] {
    switch format {
    case .geojson: Array(export.geoJSON().utf8)
    case .gpkg: try export.geoPackage()
    case .kml, .kmz: Array(export.kml().utf8)
    case .csv: Array((mark + export.csv()).utf8)
    case .gpx: Array(export.gpx().utf8)
    }
  }

  private var mark: String { bom ?? (out != nil) ? OperationExport.byteOrderMark : "" }

  private static func events(of connection: NodeConnection) async throws -> [CrossingSummary] {
    var events: [CrossingSummary] = []
    while true {
      let command = Command.events(after: events.last?.arrival, limit: page)
      guard case .events(let more) = try await connection.ask(command) else {
        throw Refusal.unexpectedReply
      }
      events += more
      if more.count < page { return events }
    }
  }

  private static func tracks(
    of users: [UserSummary], by connection: NodeConnection, _ progress: ProgressLine
  ) async throws -> [OperationExport.PersonTrack] {
    var tracks: [OperationExport.PersonTrack] = []
    for (index, user) in users.enumerated() {
      progress.update("track \(index + 1) of \(users.count)")
      let command = Command.track(of: "\(user.id)", limit: Int(Limits.trackFixes))
      guard case .track(let fixes) = try await connection.ask(command) else {
        throw Refusal.unexpectedReply
      }
      tracks.append(.init(callsign: user.callsign, fixes: fixes))
    }
    return tracks
  }
}
