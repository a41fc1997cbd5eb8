/// The named schemas of an archive's own responses.
enum ArchiveComponents {
  static let operation = Shape.open([
    .must("operation", .reference), .must("name", .text), .must("logs", .count),
    .must("frames", .count), .must("forks", .count), .must("stateHash", .nullable(.text)),
    .must("projectedAt", .nullable(.time)),
    .must(
      "posts",
      .list(
        .open([
          .must("device", .reference), .must("offered", .count), .must("stored", .count),
          .must("refused", .count), .must("lastAt", .time),
        ]), most: Int(Rows.mostPerPage))),
  ])

  static let finding = Shape.open(
    [
      .must("kind", .choice(["report", "event", "position"])), .must("operation", .text),
      .must("operationId", .reference), .must("id", .reference), .must("at", .nullable(.time)),
      .must("text", .text), .must("callsign", .text),
    ] + Components.placed)
}
