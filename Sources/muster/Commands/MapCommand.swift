internal import ArgumentParser
internal import Foundation
internal import MusterHTTP
internal import MusterInterchange
internal import MusterModel

struct MapCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "map",
    abstract: "Add maps for the dashboard, which need no internet.",
    discussion: """
      Example:  muster map add /media/stick/valley.pmtiles

      Base maps: PMTiles and MBTiles, with images or vector tiles. Overlays: GPX, KML, KMZ, \
      GeoJSON, GeoPackage and zipped Shapefiles. Maps stay on this laptop. A running node shows \
      them without a restart. docs/maps.md describes how to make a map from OpenStreetMap data.
      """,
    subcommands: [Add.self, List.self, Remove.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Copy a map into the home.",
      discussion: """
        Example:  muster map add valley.pmtiles
                  muster map add hydrants.geojson search-area.kml

        The file is copied to maps/ of the home, so that a memory stick can be removed. What \
        cannot be used of an overlay is named with its place in the file.
        """)

    @Argument(
      help: ArgumentHelp("The file. May be repeated.", valueName: "file"), completion: .file())
    var files: [String]

    @Flag(help: "Add no overlay of which a part cannot be used.")
    var strict = false

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let folder = try MapCommand.folder(home)
      for file in files {
        let (name, outcome) = try await ProgressLine.during(
          "Copying \(SafeText.line(file))"
        ) { line in
          try folder.add(file, isStrict: strict) { done, total in
            line.update("\(done >> 20) of \(total >> 20) MiB")
          }
        }
        if output.json {
          try Standard.print(
            JSON.object(["name": .string(name), "import": .known(outcome, \.json)]).text)
        } else if let outcome {
          let added = "Map \(name) added: \(outcome.used) shape\(outcome.used == 1 ? "" : "s")"
          try Standard.print(
            [added, outcome.omissionText].compactMap(\.self).joined(separator: "; "))
        } else {
          try Standard.print("Map \(name) added")
        }
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the maps of the home.", discussion: "Example:  muster map list")

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let items = try await MapCollection(in: try MapCommand.folder(home)).items()
      if output.json { return try Standard.print(JSON.array(items.map(\.json)).text) }
      guard !items.isEmpty else {
        return try Standard.print("No maps. Add one: muster map add FILE")
      }
      var table = Table(["NAME", "KIND", "ZOOM", "SIZE", "ERROR"])
      for item in items {
        let members = item.json.members ?? [:]
        let zooms = ["minZoom", "maxZoom"].compactMap { name -> String? in
          if case .number(let digits)? = members[name] { digits } else { nil }
        }
        table.add([
          .init(item.name, .strong), .init(members["kind"]?.word ?? ""),
          .init(zooms.joined(separator: "–")), .init(Self.size(item.bytes)),
          .init(members["fault"]?.word ?? "", .bad),
        ])
      }
      try Standard.print(table.text(on: .current))
    }

    private static func size(_ bytes: Int64) -> String {
      bytes < 1 << 20 ? "\((bytes + 1023) >> 10) KiB" : "\(bytes >> 20) MiB"
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a map from the home.",
      discussion: "Example:  muster map remove valley.pmtiles")

    @Argument(help: "The name of the map, as `muster map list` shows it.")
    var name: String

    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws {
      try MapCommand.folder(home).remove(name)
      try Standard.print("Map \(SafeText.line(name)) deleted")
    }
  }

  fileprivate static func folder(_ home: HomeOptions) throws -> MapFolder {
    guard home.folders.exists else { throw NodeConnection.absent(home) }
    return MapFolder(in: home.folders.path)
  }
}
