import ArgumentParser

/// Runs scenarios, swarms and replays.
@main
struct MusterSim: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "muster-sim", abstract: "Simulates whole meshes under one seed.")
}
