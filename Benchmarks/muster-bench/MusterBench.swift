import ArgumentParser

/// Measures the node beside a limit or a peer in the same run: one JSON object a line.
@main
struct MusterBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "muster-bench",
    abstract: "Measures the node; one JSON object a line.",
    discussion: "Build it for release: `make bench`.",
    subcommands: [IngestBench.self])
}
