import Foundation

/// The project's own Swift files on disk.
struct SourceTree {
  struct File {
    /// The path from the root of the repository.
    let path: String
    let text: String

    var target: String { String(path.split(separator: "/")[1]) }
    var isGenerated: Bool { path.hasSuffix(".pb.swift") }
    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
  }

  let root: URL
  let files: [File]

  init(below folders: [String]) throws {
    root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    var found: [File] = []
    for folder in folders {
      let base = root.appending(path: folder)
      guard
        let paths = FileManager.default.enumerator(atPath: base.path)?.allObjects as? [String]
      else { continue }
      for path in paths.sorted() where path.hasSuffix(".swift") {
        let text = try String(contentsOf: base.appending(path: path), encoding: .utf8)
        found.append(File(path: folder + "/" + path, text: text))
      }
    }
    files = found
  }
}
