internal import Foundation
internal import MusterNode

/// A node with the keys of a home and an empty database, in a temporary folder: for data that must
/// not reach the home. It has no network, and ends with the work.
///
/// The keys stay where they are, and the pages of the database are sealed: a process that is killed
/// leaves nothing in the folder that others can read.
enum ScratchNode {
  /// - Parameter home: its keys are read in place, and nothing else of it.
  static func run<Result>(
    keysOf home: HomeOptions, _ work: (NodeConnection) async throws -> Result
  ) async throws -> Result {
    guard home.folders.exists else { throw NodeConnection.absent(home) }
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("muster-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    defer { remove(folder) }
    let scratch = NodeHome.locate(
      home: folder.path + "/home", keys: home.folders.keysDirectory,
      environment: ["MUSTER_STATE": folder.path + "/state"])
    return try await work(
      .inProcess(try LocalNode.open(scratch, keysOf: home)))
  }

  private static func remove(_ folder: URL) {
    do {
      try FileManager.default.removeItem(at: folder)
    } catch {
      Standard.complain("\(folder.path) is not removed: \(error)")
    }
  }
}
