package import Foundation

/// A built program, beside the test bundle in `.build/<configuration>`.
package enum Program {
  package static func located(_ name: String = "muster") throws -> URL {
    let bundles = ([Bundle.main] + Bundle.allBundles).map(\.bundleURL)
    let folders = bundles.flatMap { [$0, $0.deletingLastPathComponent()] }
    for folder in folders {
      let program = folder.appending(path: name)
      var isFolder: ObjCBool = false
      if FileManager.default.fileExists(atPath: program.path, isDirectory: &isFolder),
        !isFolder.boolValue, FileManager.default.isExecutableFile(atPath: program.path)
      {
        return program
      }
    }
    throw Missing(name: name, folders: folders)
  }

  package struct Missing: Error, CustomStringConvertible {
    package let name: String
    package let folders: [URL]
    package var description: String { "no program `\(name)` in \(folders.map(\.path))" }
  }
}
