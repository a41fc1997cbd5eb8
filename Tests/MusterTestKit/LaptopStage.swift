package import Foundation

/// The laptops of one test, in a folder of their own.
package protocol LaptopStage: Sendable {
  associatedtype Laptop: LaptopProcess

  /// Its path is short, because the path of a socket may have about a hundred bytes.
  var scratch: TemporaryFolder { get }

  /// A laptop without an operation.
  func laptop(_ name: String) throws -> Laptop
}

extension LaptopStage {
  package var folder: URL { scratch.url }

  package func path(_ name: String) -> String { folder.appending(path: name).path }

  /// Creates the folder of a laptop.
  package func folder(of laptop: String) throws -> URL {
    let own = folder.appending(path: laptop)
    try FileManager.default.createDirectory(
      at: own, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return own
  }

  /// A laptop that has created an operation.
  package func founder(
    _ name: String, of operation: String = "River flood"
  ) async throws -> Laptop {
    let laptop = try laptop(name)
    try await laptop.send("init", operation, "--callsign", name)
    return laptop
  }
}
