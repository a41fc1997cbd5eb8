import ArgumentParser
import Foundation
import MusterSimulator

/// Lists the scenarios of a folder.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists the scenario files of a folder, and what each is about.")

  @Argument(help: "Where they are.")
  var folder = "simulations"

  func run() throws {
    let files: [String]
    do {
      files = try FileManager.default.contentsOfDirectory(atPath: folder)
        .filter { $0.hasSuffix(".yaml") }.sorted()
    } catch {
      throw Refusal("\(folder): there is no such folder to read")
    }
    for file in files {
      let path = folder + "/" + file
      do {
        let scenario = try Scenario(file: path)
        let first = scenario.story.split(separator: "\n").first ?? ""
        Standard.output.write(
          "\(path)  (\(scenario.nodes.count) nodes)\n    \(first)\n")
      } catch {
        Standard.error.write("\(error)\n")
      }
    }
  }
}
