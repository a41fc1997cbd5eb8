internal import ArgumentParser
internal import Foundation
internal import MusterArchive
internal import MusterInterchange
internal import MusterModel

struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "List the archived operations and their posts.")

  @OptionGroup var database: DatabaseOptions
  @Flag(help: "Print JSON for programs.") var json = false

  func run() throws {
    let operations = try database.open().operations()
    if json { return Standard.print(JSON.array(operations.map(\.json)).text) }
    if operations.isEmpty { Standard.print("No operations: run `muster-archive import`.") }
    for operation in operations {
      Standard.print(
        "\(operation.name) (\(operation.id.short)): \(operation.frames) frames in "
          + (operation.logs == 1 ? "1 log" : "\(operation.logs) logs"))
      if operation.forks > 0 {
        let forks = operation.forks == 1 ? "1 fork" : "\(operation.forks) forks"
        Standard.print(
          "  ALERT: \(forks): a device was cloned or restored from a backup; see "
            + "`muster device list`")
      }
      for post in operation.posts {
        Standard.print(
          "  post \(post.device.short): \(post.stored) frames first, \(post.offered) sent, "
            + "\(post.refused) rejected, last \(post.lastAt)")
      }
      if let hash = operation.stateHash { Standard.print("  projected, state \(hash)") }
    }
  }
}
