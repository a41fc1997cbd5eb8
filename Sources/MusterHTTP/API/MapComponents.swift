internal import MusterModel

/// The schemas of base maps and overlays.
enum MapComponents {
  /// The first base map.
  static let map = Shape.open(
    [.must("name", .text), .must("attribution", .text), .must("tiles", .nullable(.text))] + extent)

  /// A base map or an overlay.
  static let file = Shape.open(
    [
      .must("name", .text), .must("title", .text), .must("attribution", .text),
      .must("kind", .nullable(.choice(["raster", "vector", "overlay"]))), .must("bytes", .count),
      .must("isRemovable", .flag), .must("fault", .nullable(.text)),
      .must("tiles", .nullable(.text)), .must("layers", .list(.text, most: 50)),
      .must("import", .nullable(.named("Import"))),
    ] + extent)

  /// What was used of a file, and what was left out.
  static let outcome = Shape.open([
    .must("used", .count), .must("leftOut", .count),
    .must(
      "omissions",
      .list(
        .open([.must("place", .text), .must("reason", .text)]), most: ImportOutcome.mostListed)),
  ])

  private static let extent: [Shape.Member] = [
    .must("format", .nullable(.choice(["png", "jpg", "webp", "pbf"]))),
    .must("minZoom", .nullable(zoom)), .must("maxZoom", .nullable(zoom)),
    .must("bounds", .nullable(.list(.number(-180...180), most: 4))),
  ]
  private static let zoom = Shape.integer(0...Int64(BaseMap.mostZoom))
}
