import ArgumentParser

/// Measures the node beside a limit or a peer in the same run: one JSON object a line.
@main
struct MusterBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "muster-bench",
    abstract: "Measures the node; one JSON object a line.",
    discussion: "Build it for release: `make bench`. Progress is on standard error.",
    subcommands: [
      All.self, IngestBench.self, MergeBench.self, IncrementalBench.self, DigestBench.self,
      CommitBench.self, SealBench.self, GeofenceBench.self, FenceGrowthBench.self,
      ColdStartBench.self, CrowdBench.self, AdmitBench.self, ControlBench.self, ForkBench.self,
      RowFloodBench.self,
      PositionsBench.self, StatusBench.self, NodeStatusBench.self, CheckInBench.self,
      HistoryBench.self, ProximityBench.self, UplinkBench.self, MergeRound.self,
      ColdStartWrite.self,
      ColdStartOpen.self,
    ],
    defaultSubcommand: All.self)
}

/// Every bench in turn, each as large as the project promises.
struct All: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "all", abstract: "Every bench in turn.")

  func run() throws {
    let benches: [any ParsableCommand.Type] = [
      SealBench.self, GeofenceBench.self, FenceGrowthBench.self, CommitBench.self, DigestBench.self,
      IncrementalBench.self,
      MergeBench.self, IngestBench.self, ColdStartBench.self, CrowdBench.self,
      AdmitBench.self, ControlBench.self, ForkBench.self,
      RowFloodBench.self,
      PositionsBench.self, StatusBench.self,
      NodeStatusBench.self, CheckInBench.self, HistoryBench.self, ProximityBench.self,
    ]
    for bench in benches {
      var command = try bench.parseAsRoot([])
      try command.run()
    }
  }
}
