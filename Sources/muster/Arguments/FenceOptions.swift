internal import ArgumentParser
internal import MusterModel

/// What a fence is drawn and changed with.
struct FenceOptions: ParsableArguments {
  @Option(help: "What being inside means; info for a new fence where nothing says it.")
  var kind: NameArgument<FenceKind>?

  @Option(
    help: ArgumentHelp("A centre in degrees and a radius.", valueName: "lat,lon,metres"),
    transform: CircleArgument.init(parsing:))
  var circle: CircleArgument?

  @Option(help: ArgumentHelp("A file with an outline.", valueName: "file"))
  var geojson: String?

  @Option(
    help: ArgumentHelp("How long inside before it is an ENTER.", valueName: "30s"),
    transform: DwellArgument.init(parsing:))
  var dwell: DwellArgument?

  /// Whether nothing is said of it.
  var isEmpty: Bool { kind == nil && circle == nil && geojson == nil && dwell == nil }

  func validate() throws {
    guard circle == nil || geojson == nil else {
      throw ValidationError("give one of --circle and --geojson")
    }
  }
}
