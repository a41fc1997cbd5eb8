internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Export the operation as GeoJSON, KML, CSV or GPX.",
    discussion: """
      Example:  muster export --format geojson > flood.geojson
                muster export --format kml > flood.kml

      GeoJSON is for QGIS and web maps, KML for Google Earth, GPX for GPS receivers (without \
      zones), CSV for spreadsheets. Exports people, reports, zones and tracks, and in CSV also \
      the events. A track is complete only for this laptop, for phones that report to it, and for \
      people who share their track.
      """)

  enum Format: String, CaseIterable, ExpressibleByArgument {
    case geojson, kml, csv, gpx
  }

  @Option(help: "The output format.")
  var format: Format

  @OptionGroup(title: "Node") var home: HomeOptions

  /// Events in one request, well below the size limit of a reply.
  private static let page = 10_000

  func run() async throws {
    let door = try await Door.open(home)
    guard case .status(let status) = try await door.ask(.status),
      case .users(let users) = try await door.ask(.users),
      case .reports(let reports) = try await door.ask(.reports),
      case .fences(let fences) = try await door.ask(.fences)
    else { throw Refusal.unexpectedReply }
    let export = try await ProgressLine.during("Exporting") { progress in
      OperationExport(
        // An export is passed on: what only command may see is not part of it.
        name: status.operationName, users: users.map(\.withoutDuress), reports: reports,
        fences: fences,
        events: try await Self.events(of: door),
        tracks: try await Self.tracks(of: users, by: door, progress))
    }
    let text =
      switch format {
      case .geojson: export.geoJSON()
      case .kml: export.kml()
      case .csv: export.csv()
      case .gpx: export.gpx()
      }
    try Standard.write(Array(text.utf8))
  }

  private static func events(of door: Door) async throws -> [CrossingSummary] {
    var events: [CrossingSummary] = []
    while true {
      let command = Command.events(after: events.last?.arrival, limit: page)
      guard case .events(let more) = try await door.ask(command) else {
        throw Refusal.unexpectedReply
      }
      events += more
      if more.count < page { return events }
    }
  }

  private static func tracks(
    of users: [UserSummary], by door: Door, _ progress: ProgressLine
  ) async throws -> [OperationExport.PersonTrack] {
    var tracks: [OperationExport.PersonTrack] = []
    for (index, user) in users.enumerated() {
      progress.update("track \(index + 1) of \(users.count)")
      let command = Command.track(of: "\(user.id)", limit: Int(Limits.trackFixes))
      guard case .track(let fixes) = try await door.ask(command) else {
        throw Refusal.unexpectedReply
      }
      tracks.append(.init(callsign: user.callsign, fixes: fixes))
    }
    return tracks
  }
}
