import Foundation

/// The built program, beside the test bundle in `.build/<configuration>`.
enum Program {
  static func located() throws -> URL {
    let bundles = ([Bundle.main] + Bundle.allBundles).map(\.bundleURL)
    let folders = bundles.flatMap { [$0, $0.deletingLastPathComponent()] }
    for folder in folders {
      let program = folder.appending(path: "muster")
      var isFolder: ObjCBool = false
      if FileManager.default.fileExists(atPath: program.path, isDirectory: &isFolder),
        !isFolder.boolValue, FileManager.default.isExecutableFile(atPath: program.path)
      {
        return program
      }
    }
    throw Missing(folders: folders)
  }

  struct Missing: Error, CustomStringConvertible {
    let folders: [URL]
    var description: String { "no program `muster` in \(folders.map(\.path))" }
  }
}
