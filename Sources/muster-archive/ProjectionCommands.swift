internal import ArgumentParser
internal import MusterArchive
internal import MusterInterchange
internal import MusterModel

struct ProjectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "project",
    abstract: "Derive tables of people, reports, zones, events and positions.",
    discussion: """
      Example:  muster-archive project --home ~/archive-device

      The device of --home must be allowed to read: best a device of role archive. Its \
      node merges what only the archive has, and its state is written. Needs PostGIS.
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup(title: "Device") var device: DeviceOptions
  @Flag(help: "Print JSON for programs.") var json = false

  func run() async throws {
    let post = try await ArchivePost(device.folders, passphrase: try device.passphrase())
    let outcome = try await database.open().project(by: post, seed: { Seed.drawn() })
    if json {
      return Standard.print(
        JSON.object([
          "merged": .count(outcome.merged), "users": .count(outcome.users),
          "reports": .count(outcome.reports), "fences": .count(outcome.fences),
          "photos": .count(outcome.photos),
          "stateHash": .string(outcome.stateHash.description),
        ]).text)
    }
    Standard.print(
      "Projected: people \(outcome.users), reports \(outcome.reports), zones \(outcome.fences), "
        + "photos \(outcome.photos). "
        + "The node received from the archive: frames \(outcome.merged).\n"
        + "State \(outcome.stateHash)")
  }
}

struct SearchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Search all projected operations by text, person, area and time.",
    discussion: """
      Example:  muster-archive search smoke --area=46.05,14.5,2000 --since 2026-11-01T00:00:00Z
      """)

  @Argument(help: "A part of a title, a description or the name of a zone.")
  var text: String?

  @Option(help: ArgumentHelp("The callsign of a person.", valueName: "name"))
  var person: String?

  @Option(help: ArgumentHelp("A circle, with its radius in metres.", valueName: "lat,lon,metres"))
  var area: String?

  @Option(help: ArgumentHelp("The earliest time, as RFC 3339.", valueName: "time"))
  var since: String?

  @Option(help: ArgumentHelp("The latest time, as RFC 3339.", valueName: "time"))
  var until: String?

  @Option(
    help: ArgumentHelp("An operation, by name or the first digits of its id.", valueName: "name"))
  var operation: String?

  @Option(help: ArgumentHelp("The most results, 1 to 10000.", valueName: "count"))
  var limit = 100

  @OptionGroup var database: DatabaseOptions
  @Flag(help: "Print JSON for programs.") var json = false

  func validate() throws { _ = try search() }

  func run() throws {
    let findings = try database.open().find(search())
    if json { return Standard.print(JSON.array(findings.map(\.json)).text) }
    if findings.isEmpty { Standard.print("Nothing found.") }
    for finding in findings {
      let place = finding.position.map { " at \($0.latitude),\($0.longitude)" } ?? ""
      let text = finding.text.isEmpty ? "" : " \(finding.text)"
      Standard.print(
        "\(finding.at ?? "unknown time")  \(finding.operation): \(finding.kind)\(text)"
          + " · \(finding.callsign)\(place)")
    }
  }

  private func search() throws -> ArchiveSearch {
    var search = ArchiveSearch()
    (search.text, search.person, search.operation) = (text, person, operation)
    search.since = try Self.time(since, "--since")
    search.until = try Self.time(until, "--until")
    guard (1...10_000).contains(limit) else { throw ValidationError("--limit must be 1 to 10000") }
    search.limit = limit
    guard let area else { return search }
    let numbers = area.split(separator: ",").map { Double($0) }
    guard numbers.count == 3, let latitude = numbers[0], let longitude = numbers[1],
      let metres = numbers[2], metres > 0, metres.isFinite,
      let center = Coordinate(latitude: latitude, longitude: longitude)
    else { throw ValidationError("--area must be LAT,LON,METRES, such as --area=46.05,14.5,2000") }
    search.area = .init(center: center, radiusMetres: metres)
    return search
  }

  private static func time(_ text: String?, _ option: String) throws -> Timestamp? {
    guard let text else { return nil }
    guard let time = Timestamp(rfc3339: text) else {
      throw ValidationError("\(option) must be a time such as 2026-11-25T18:00:00Z")
    }
    return time
  }
}
