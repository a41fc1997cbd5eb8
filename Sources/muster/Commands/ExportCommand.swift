internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Prints the whole operation for other tools: maps, sheets, receivers.",
    discussion: """
      Example:  muster export --format geojson > flood.geojson
                muster export --format gpx > flood.gpx

      People, reports, fences and ways, and in a sheet the events too. Of somebody's way there is \
      what this laptop has: its own, of phones that it speaks for, and what others have published.
      """)

  enum Format: String, CaseIterable, ExpressibleByArgument {
    case geojson, csv, gpx
  }

  @Option(help: "Which form.")
  var format: Format

  @OptionGroup var home: HomeOptions

  /// Asked for at once: well within what one answer may hold.
  private static let page = 10_000

  func run() async throws {
    let door = try await Door.open(home)
    guard case .status(let status) = try await door.ask(.status),
      case .users(let users) = try await door.ask(.users),
      case .reports(let reports) = try await door.ask(.reports),
      case .fences(let fences) = try await door.ask(.fences)
    else { throw Refusal.unexpectedReply }
    let export = OperationExport(
      name: status.operationName, users: users, reports: reports, fences: fences,
      events: try await Self.events(of: door), ways: try await Self.ways(of: users, by: door))
    let text =
      switch format {
      case .geojson: export.geoJSON()
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

  private static func ways(
    of users: [UserSummary], by door: Door
  ) async throws -> [OperationExport.Way] {
    var ways: [OperationExport.Way] = []
    for user in users {
      let command = Command.track(of: "\(user.id)", limit: Int(Limits.trackFixes))
      guard case .track(let fixes) = try await door.ask(command) else {
        throw Refusal.unexpectedReply
      }
      ways.append(.init(callsign: user.callsign, fixes: fixes))
    }
    return ways
  }
}
