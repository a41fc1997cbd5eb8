import Foundation

/// Gives work a folder of its own on disk, and takes it away after.
func withScratchFolder<Result>(_ work: (String) throws -> Result) throws -> Result {
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "muster-bench-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer {
    do {
      try FileManager.default.removeItem(at: folder)
    } catch {
      progress("left \(folder.path) behind: \(error)")
    }
  }
  return try work(folder.path)
}
