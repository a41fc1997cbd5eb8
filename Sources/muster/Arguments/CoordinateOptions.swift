public import ArgumentParser
public import MusterGeo

extension CoordinateFormat: ExpressibleByArgument {}

/// How text output shows positions. JSON always has decimal degrees.
struct CoordinateOptions: ParsableArguments {
  @Option(
    name: .customLong("coordinates"),
    help: ArgumentHelp("Show positions in this format.", valueName: "format"))
  var format = CoordinateFormat.decimal
}
