internal import Foundation
internal import NIOPosix

/// The environment of the story: folders, links between the laptops, and processes.
struct DemoEnvironment: Sendable {
  let children: Children
  let story: Story
  private let progress: Progress
  /// Kept until the end, for their locks.
  private let folders: [OwnedFolder]

  /// Removes what an earlier demo left, and opens the links.
  ///
  /// - Parameter dashboard: the port of the dashboard of Anna's node; nil for none.
  init(
    program: URL, directory: URL, keys: URL, track: URL, dashboard: Int?, screen: Screen
  ) async throws {
    let folder = try OwnedFolder(replacing: directory)
    let callsigns = ["Anna", "Ben", "Cleo"]
    let keyFolders = try callsigns.map {
      try OwnedFolder(replacing: keys.appending(path: "demo-\($0.lowercased())"))
    }
    var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("MUSTER_") }
    environment["MUSTER_STATE"] = directory.appending(path: "state").path
    let children = Children(program: program, environment: environment, folder: directory)
    let journal = try Journal(directory.appending(path: "commands.log"))
    let laptops = zip(callsigns, keyFolders).map { callsign, keys in
      Laptop(
        callsign: callsign, home: directory.appending(path: callsign.lowercased()),
        keys: keys.url, log: directory.appending(path: "\(callsign.lowercased()).log"),
        children: children, journal: journal)
    }
    let group = MultiThreadedEventLoopGroup.singleton
    let links = Story.Links(
      annaBen: try await Link.open(on: group), annaCleo: try await Link.open(on: group),
      benCleo: try await Link.open(on: group))
    let progress = Progress(screen: screen)
    self.children = children
    self.progress = progress
    folders = [folder] + keyFolders
    story = Story(
      anna: laptops[0], ben: laptops[1], cleo: laptops[2], links: links, track: track,
      dashboard: dashboard, progress: progress)
  }

  /// Stops the nodes as a user would.
  ///
  /// - Returns: those that did not stop cleanly.
  func end() async throws -> [String] {
    try await progress.step("The three nodes stop") { await children.endAll() }
  }
}
