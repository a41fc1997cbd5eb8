internal import ArgumentParser
internal import Foundation
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct FenceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "zone",
    abstract: "Manage zones: assembly zones, hazards and others.",
    discussion: """
      Example:  muster zone add --name Camp --kind assembly --circle 47.37,8.54,50

      People inside an assembly zone are safe. People in a hazard zone are in danger. An info \
      zone only records entries and exits. A zone is named by its name or id.
      """,
    subcommands: [
      Add.self, Import.self, List.self, Show.self, Edit.self, Export.self, Activate.self,
      Deactivate.self, Delete.self, Rule.self,
    ],
    aliases: ["fence"])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a zone.",
      discussion: """
        Example:  muster zone add --name Plume --kind hazard --geojson plume.geojson

        The file has one Polygon or MultiPolygon (RFC 7946), or a Point with a property radius_m, \
        bare or as a Feature. --kind overrides the kind in the file. Prints the id.
        """)

    @Option(help: ArgumentHelp("The name of the zone.", valueName: "name"))
    var name: String

    @OptionGroup var fence: FenceOptions

    @Flag(help: "Emit EXIT at the first fix outside, at any accuracy, like AWS Location.")
    var strictAws = false

    @Option(
      help: ArgumentHelp(
        "Raise an alert while no person of this role is inside.", valueName: "role"))
    var needs: NameArgument<Role>?

    @Flag(help: "Also order people to this assembly zone.")
    var order = false

    @Option(
      help: ArgumentHelp("The time until command must review it.", valueName: "2h"),
      transform: ReviewArgument.init(parsing:))
    var review: ReviewArgument?

    @Option(
      help: ArgumentHelp("Raise an alert at each entry. (default: on)", valueName: "switch"))
    var alert: SwitchArgument?

    @OptionGroup(title: "With --order") var aim: DirectCommand.AudienceOptions
    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      try TextArgument.check(name, .line, "name")
      guard fence.circle != nil || fence.geojson != nil else {
        throw ValidationError("give one of --circle and --geojson")
      }
      guard order || aim.isEmpty else {
        throw ValidationError("--role, --team, --user and --deadline need --order")
      }
    }

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      var (draft, isActive) = try draft(circle: await fence.circle(by: connection))
      draft.dwellSeconds = fence.dwell?.seconds ?? 0
      draft.mode = strictAws ? .strictAWS : .careful
      draft.needs = needs?.value
      draft.reviewSeconds = review.flatMap { $0.seconds == 0 ? nil : $0.seconds }
      draft.alertsEntry = alert != .off
      await connection.warnIfFar(draft.geometry)
      if order { return try await draw(draft, isActive: isActive, by: connection) }
      try await connection.create(.addFence(draft), wait: wait.seconds) { reply in
        guard case .created(let id) = reply else { throw Refusal.unexpectedReply }
        if !isActive { _ = try await connection.ask(.setFenceActive("\(id)", false)) }
        try Standard.print(output.json ? JSON.object(["id": .id(id)]).text : "\(id)")
        return "Zone added"
      }
    }

    private func draw(_ draft: FenceDraft, isActive: Bool, by connection: NodeConnection)
      async throws
    {
      guard isActive else {
        throw Refusal(
          "the zone in the file is inactive, so no order can name it: set \"active\" to true in it")
      }
      let directive = try await DirectCommand.named(aim.order(.muster, text: ""), by: connection)
      let command = Command.addAssemblyZone(draft, order: directive)
      try await connection.create(command, wait: wait.seconds) { reply in
        guard case .ordered(let zone, let id) = reply else { throw Refusal.unexpectedReply }
        try Standard.print(
          output.json
            ? JSON.object(["id": .id(zone), "directive": .id(id)]).text : "\(zone)")
        return await DirectCommand.issued(id, by: connection)
      }
    }

    private func draft(circle: FenceGeometry?) throws(Refusal) -> (FenceDraft, isActive: Bool) {
      let kind = fence.kind?.value
      if let circle {
        return (FenceDraft(name: name, kind: kind ?? .info, geometry: circle), true)
      }
      guard let outline = try fence.outline() else {
        throw Refusal("give one of --circle and --geojson")
      }
      let draft = FenceDraft(
        name: name, kind: kind ?? outline.kind.flatMap(FenceKind.init(name:)) ?? .info,
        geometry: outline.geometry, properties: outline.properties)
      return (draft, outline.isActive ?? true)
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List all zones, and who is inside.",
      discussion: "Example:  muster zone list")

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var coordinates: CoordinateOptions

    func run() async throws {
      let fences = try await FenceCommand.fences(.fences, home)
      if output.json { return try Standard.print(JSON.array(fences.map(\.json)).text) }
      guard !fences.isEmpty else { return try Standard.print("No zones.") }
      try Standard.print(FenceView.table(of: fences, coordinates.format).text(on: .current))
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show one zone, with its conflicts.",
      discussion: "Example:  muster zone show Camp")

    @Argument(help: "The zone, by name or id.", completion: .zones)
    var zone: String

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var times: TimeOptions
    @OptionGroup var coordinates: CoordinateOptions

    func run() async throws {
      let fence = try await NodeConnection.open(home).zone(named: zone)
      try Standard.print(
        output.json
          ? fence.json.text
          : FenceView.page(of: fence, times.format, coordinates.format, on: .current))
    }
  }

  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Export zones as a GeoJSON FeatureCollection.",
      discussion: """
        Example:  muster zone export > zones.geojson

        GeoJSON has no circles: a circle is exported as a Point with a property radius_m or, with \
        --circles-as-polygons, as a polygon with 64 sides.
        """)

    @Argument(help: "Only this zone, by name or id.", completion: .zones)
    var zone: String?

    @Flag(help: "Export circles as polygons.")
    var circlesAsPolygons = false

    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws {
      let fences =
        if let zone {
          [try await NodeConnection.open(home).zone(named: zone)]
        } else {
          try await FenceCommand.fences(.fences, home)
        }
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
      abstract: "Activate a zone.",
      discussion: "Example:  muster zone activate Camp")

    @Argument(help: "The zone, by name or id.", completion: .zones)
    var zone: String

    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws { try await FenceCommand.set(zone, isActive: true, home, wait) }
  }

  struct Deactivate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Deactivate a zone without deleting it.",
      discussion: "Example:  muster zone deactivate Camp")

    @Argument(help: "The zone, by name or id.", completion: .zones)
    var zone: String

    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws { try await FenceCommand.set(zone, isActive: false, home, wait) }
  }

  fileprivate static func set(
    _ zone: String, isActive: Bool, _ home: HomeOptions, _ wait: WaitOptions
  ) async throws {
    let connection = try await NodeConnection.open(home)
    let fence = try await connection.zone(named: zone, match: .whole)
    try await connection.send(
      .setFenceActive("\(fence.id)", isActive),
      "Zone \(SafeText.line(fence.name)) \(isActive ? "activated" : "deactivated")",
      wait: wait.seconds)
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a zone permanently.",
      discussion: """
        Example:  muster zone delete Camp

        It cannot be undone. To take a zone out of use for a while, deactivate it.
        """)

    @Argument(help: "The zone, by name or id.", completion: .zones)
    var zone: String

    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      let fence = try await connection.zone(named: zone, match: .whole)
      try confirmation.confirm(
        "This deletes the zone \(SafeText.line(fence.name)) (\(fence.id.short)) on every device",
        name: fence.name)
      try await connection.send(.deleteFence("\(fence.id)"), "Zone deleted", wait: wait.seconds)
    }
  }

  private static func fences(
    _ command: Command, _ home: HomeOptions
  ) async throws -> [FenceSummary] {
    guard case .fences(let fences) = try await NodeConnection.open(home).ask(command) else {
      throw Refusal.unexpectedReply
    }
    return fences
  }
}

/// A GeoJSON file with one outline.
enum OutlineFile {
  private static let mostBytes = 8 * 1024 * 1024

  static func fence(in path: String, isStrict: Bool) throws(Refusal) -> ImportedFence {
    let data = try InputFile.data(of: path, limit: mostBytes)
    let file: GeoJSONFile
    do {
      file = try GeoJSON.read(data)
    } catch {
      throw Refusal("\(path): \(error)")
    }
    if let fault = file.fault, file.fences.isEmpty { throw Refusal("\(path): \(fault)") }
    guard file.fences.count == 1 else {
      throw Refusal("\(path) has \(file.fences.count) outlines: use a file with one outline")
    }
    if let omissions = file.outcome.omissionText {
      guard !isStrict else { throw Refusal("\(path): nothing was done; \(omissions)") }
      Standard.complain("\(path): \(omissions)")
    }
    return file.fences[0]
  }
}
