internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel

/// The kind and outline of a zone.
struct FenceOptions: ParsableArguments {
  @Option(help: "The meaning of being inside. (default for a new zone: info)")
  var kind: ZoneKindArgument?

  @Option(
    help: ArgumentHelp("The outline: centre in degrees, and radius.", valueName: "lat,lon,metres"),
    transform: CircleArgument.init(parsing:))
  var circle: CircleArgument?

  @OptionGroup var axisOrder: PlaceOptions

  @Option(
    help: ArgumentHelp("The outline: a GeoJSON file.", valueName: "file"), completion: .file())
  var geojson: String?

  @Flag(help: "Refuse a GeoJSON file of which a part must be left out.")
  var strict = false

  @Option(
    help: ArgumentHelp("The time inside before an ENTER event.", valueName: "30s"),
    transform: DwellArgument.init(parsing:))
  var dwell: DwellArgument?

  /// Whether no option is given.
  var isEmpty: Bool { kind == nil && circle == nil && geojson == nil && dwell == nil }

  /// The outline in the file; nil without one.
  func outline() throws(Refusal) -> ImportedFence? {
    guard let geojson else { return nil }
    return try OutlineFile.fence(in: geojson, isStrict: strict)
  }

  /// The circle with the centre that is meant; nil without one.
  func circle(by connection: NodeConnection) async throws -> FenceGeometry? {
    guard let circle, let center = try await axisOrder.position(circle.center, by: connection)
    else {
      return nil
    }
    return .circle(center: center, radiusCentimetres: circle.radiusCentimetres)
  }

  func validate() throws {
    guard circle == nil || geojson == nil else {
      throw ValidationError("give only one of --circle and --geojson")
    }
    guard !strict || geojson != nil else { throw ValidationError("--strict needs --geojson") }
  }
}
