import ArgumentParser

/// Runs scenarios, swarms and replays.
@main
struct MusterSim: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "muster-sim", abstract: "Simulates whole meshes under one seed.",
    discussion: """
      Real replicas, real cryptography and real databases; virtual time, network, disks, clocks and
      movement. One seed gives one run, down to the last byte.
      """,
    subcommands: [
      RunCommand.self, SwarmCommand.self, CanaryCommand.self, CrashPointsCommand.self,
      ListCommand.self,
    ])
}
