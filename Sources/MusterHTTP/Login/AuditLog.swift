internal import Foundation
internal import Logging
internal import MusterInterchange
internal import MusterModel
internal import MusterNode
internal import Synchronization

/// Who logged in and what they wrote, one JSON object a line, in a file of the home that this user
/// alone reads. Past eight megabytes it is put aside, and the one that was aside before goes.
final class AuditLog: Sendable {
  private static let mostBytes: UInt64 = 8 * 1024 * 1024
  private let url: URL
  private let logger: Logger
  private let lock = Mutex<Void>(())

  init(in folder: String, logger: Logger) {
    url = URL(filePath: folder).appending(path: "audit.log")
    self.logger = logger
  }

  /// - Parameter name: who it was, or who they said they were.
  func note(_ what: String, by name: String, from client: String, status: Int) {
    let line = JSON.object([
      "time": .time(SystemClock.wall), "name": .string(String(name.prefix(200))),
      "client": .string(client), "what": .string(String(what.prefix(300))),
      "status": .count(status),
    ]).text
    lock.withLock { _ in
      do {
        try append(Data((line + "\n").utf8))
      } catch {
        logger.error("the audit log cannot be written: \(error)")
      }
    }
  }

  private func append(_ data: Data) throws {
    let files = FileManager.default
    if !files.fileExists(atPath: url.path) {
      _ = files.createFile(
        atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600])
    }
    let file = try FileHandle(forWritingTo: url)
    let end = try file.seekToEnd()
    try file.write(contentsOf: data)
    try file.close()
    guard end > Self.mostBytes else { return }
    _ = rename(url.path, url.path + ".1")
  }
}
