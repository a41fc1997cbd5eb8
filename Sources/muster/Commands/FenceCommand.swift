internal import ArgumentParser
internal import Foundation
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct FenceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fence",
    abstract: "Geofences: where to gather, where not to be.",
    discussion: """
      Example:  muster fence add --name "Assembly point" --kind muster --circle 47.3769,8.5417,50

      Inside a muster fence people are safe, inside a hazard fence they are not; an info fence \
      only notes who comes and goes.
      """,
    subcommands: [
      Add.self, List.self, Show.self, Edit.self, Export.self, Activate.self, Deactivate.self,
      Delete.self,
    ])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Adds a fence and prints its id.",
      discussion: """
        Example:  muster fence add --name "Plume" --kind hazard --geojson plume.geojson

        The file holds one Polygon or MultiPolygon (RFC 7946), or a Point with a property \
        radius_m, bare or as a Feature. Its kind counts where --kind is not given.
        """)

    @Option(help: ArgumentHelp("What it is called.", valueName: "name"))
    var name: String

    @OptionGroup var fence: FenceOptions

    @Flag(help: "EXIT at the first fix outside, whatever its accuracy, as AWS Location does it.")
    var strictAws = false

    @Option(help: "Of which role somebody is to be inside, or there is an alert.")
    var needs: NameArgument<Role>?

    @Flag(help: "Orders people to go to this assembly zone, by the options below.")
    var order = false

    @Option(
      help: ArgumentHelp("After how long command is to review it.", valueName: "2h"),
      transform: ReviewArgument.init(parsing:))
    var review: ReviewArgument?

    @Option(help: "Whether an entry raises an alert.")
    var alert: SwitchArgument?

    @OptionGroup var aim: DirectCommand.Aim
    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      try TextArgument.check(name, .line, "name")
      guard fence.circle != nil || fence.geojson != nil else {
        throw ValidationError("give one of --circle and --geojson")
      }
      guard order || aim.isEmpty else {
        throw ValidationError("--role, --team, --user and --deadline go with --order")
      }
    }

    func run() async throws {
      var (draft, isActive) = try draft()
      draft.dwellSeconds = fence.dwell?.seconds ?? 0
      draft.mode = strictAws ? .strictAWS : .careful
      draft.needs = needs?.value
      draft.reviewSeconds = review.flatMap { $0.seconds == 0 ? nil : $0.seconds }
      draft.alertsEntry = alert != .off
      let door = try await Door.open(home)
      if order { return try await draw(draft, isActive: isActive, by: door) }
      guard case .created(let id) = try await door.change(.addFence(draft)) else {
        throw Refusal.unexpectedReply
      }
      if !isActive { _ = try await door.ask(.setFenceActive("\(id)", false)) }
      try Standard.print(output.json ? JSON.object(["id": .id(id)]).text : "\(id)")
    }

    private func draw(_ draft: FenceDraft, isActive: Bool, by door: Door) async throws {
      guard isActive else { throw Refusal("the file's zone is inactive: nobody can be sent there") }
      let directive = aim.order(.muster, text: "")
      guard
        case .ordered(let zone, let id) = try await door.change(
          .addAssemblyZone(draft, order: directive))
      else { throw Refusal.unexpectedReply }
      if output.json {
        return try Standard.print(JSON.object(["id": .id(zone), "directive": .id(id)]).text)
      }
      try Standard.print("\(zone)")
      try await DirectCommand.tell(of: id, by: door)
    }

    private func draft() throws(Refusal) -> (FenceDraft, isActive: Bool) {
      let kind = fence.kind?.value
      if let circle = fence.circle {
        return (FenceDraft(name: name, kind: kind ?? .info, geometry: circle.geometry), true)
      }
      guard let geojson = fence.geojson else { throw Refusal("give one of --circle and --geojson") }
      let outline = try OutlineFile.fence(in: geojson)
      let draft = FenceDraft(
        name: name, kind: kind ?? outline.kind.flatMap(FenceKind.init(name:)) ?? .info,
        geometry: outline.geometry, properties: outline.properties)
      return (draft, outline.isActive ?? true)
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists all fences and who is inside.",
      discussion: "Example:  muster fence list")

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let fences = try await FenceCommand.fences(.fences, home)
      if output.json { return try Standard.print(JSON.array(fences.map(\.json)).text) }
      guard !fences.isEmpty else { return try Standard.print("No fences.") }
      try Standard.print(FenceView.table(of: fences).text(on: .current))
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows one fence, and where people disagree on it.",
      discussion: "Example:  muster fence show 3f9a")

    @Argument(help: "The fence.", transform: RowArgument.init(parsing:))
    var id: RowArgument

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      guard let fence = try await FenceCommand.fences(.fence(id.prefix), home).first else {
        throw Refusal.unexpectedReply
      }
      try Standard.print(output.json ? fence.json.text : FenceView.page(of: fence, on: .current))
    }
  }

  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints the fences as a GeoJSON FeatureCollection for other tools.",
      discussion: """
        Example:  muster fence export > fences.geojson

        GeoJSON knows no circles: one is a Point with a property radius_m or, with \
        --circles-as-polygons, a polygon of 64 sides.
        """)

    @Argument(help: "One fence only.", transform: RowArgument.init(parsing:))
    var id: RowArgument?

    @Flag(help: "Makes polygons of circles.")
    var circlesAsPolygons = false

    @OptionGroup var home: HomeOptions

    func run() async throws {
      let fences = try await FenceCommand.fences(id.map { .fence($0.prefix) } ?? .fences, home)
      let exported = fences.map {
        ExportedFence(
          id: "\($0.id)", name: $0.name, kind: $0.kind.name, isActive: $0.isActive,
          properties: $0.properties.isEmpty ? nil : $0.properties, geometry: $0.geometry)
      }
      try Standard.write(
        Array(GeoJSON.featureCollection(of: exported, circlesAsPolygons: circlesAsPolygons)))
    }
  }

  struct Activate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Puts a fence to use.",
      discussion: "Example:  muster fence activate 3f9a")

    @Argument(help: "The fence.", transform: RowArgument.init(parsing:))
    var id: RowArgument

    @OptionGroup var home: HomeOptions

    func run() async throws {
      try await Door.open(home).send(.setFenceActive(id.prefix, true), "Zone activated")
    }
  }

  struct Deactivate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Puts a fence out of use without taking it away.",
      discussion: "Example:  muster fence deactivate 3f9a")

    @Argument(help: "The fence.", transform: RowArgument.init(parsing:))
    var id: RowArgument

    @OptionGroup var home: HomeOptions

    func run() async throws {
      try await Door.open(home).send(.setFenceActive(id.prefix, false), "Zone deactivated")
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Takes a fence away for good.",
      discussion: "Example:  muster fence delete 3f9a")

    @Argument(help: "The fence.", transform: RowArgument.init(parsing:))
    var id: RowArgument

    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var home: HomeOptions

    func run() async throws {
      let door = try await Door.open(home)
      guard case .fences(let fences) = try await door.ask(.fence(id.prefix)),
        let fence = fences.first
      else { throw Refusal.unexpectedReply }
      try confirmation.confirm(
        "This deletes the zone \(fence.id.short) on every device", name: fence.name)
      try await door.send(.deleteFence("\(fence.id)"), "Zone deleted")
    }
  }

  private static func fences(
    _ command: Command, _ home: HomeOptions
  ) async throws -> [FenceSummary] {
    guard case .fences(let fences) = try await Door.open(home).ask(command) else {
      throw Refusal.unexpectedReply
    }
    return fences
  }
}

/// A GeoJSON file with one outline.
enum OutlineFile {
  private static let mostBytes = 8 * 1024 * 1024

  static func fence(in path: String) throws(Refusal) -> ImportedFence {
    let data = try InputFile.data(of: path, limit: mostBytes)
    let fences: [ImportedFence]
    do {
      fences = try GeoJSON.fences(from: data)
    } catch {
      throw Refusal("\(path): \(error)")
    }
    guard fences.count == 1 else {
      throw Refusal("\(path) holds \(fences.count) outlines: put the one you mean into a file")
    }
    return fences[0]
  }
}
