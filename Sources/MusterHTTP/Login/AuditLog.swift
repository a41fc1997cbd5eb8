internal import Foundation
internal import Logging
internal import MusterInterchange
internal import MusterModel
internal import MusterNode
internal import Synchronization

/// The log of logins and of their writes, one JSON object a line, in a file of the home that only
/// this user can read. At eight megabytes it is rotated, and the previous rotated file is deleted.
final class AuditLog: Sendable {
  private static let mostBytes: UInt64 = 8 * 1024 * 1024
  private let url: URL
  private let logger: Logger
  private let lock = Mutex<Void>(())

  init(in folder: String, logger: Logger, name: String = "audit.log") {
    url = URL(filePath: folder).appending(path: name)
    self.logger = logger
  }

  /// Returns the log of failed logins, which MUST NOT displace the actions of users.
  func ofFailures() -> AuditLog {
    AuditLog(
      in: url.deletingLastPathComponent().path, logger: logger, name: "audit-failed.log")
  }

  /// - Parameter name: the login's name, or the claimed name of a failed login.
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
    let opened = open(url.path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard opened >= 0 else {
      throw PrivateFileFault("\(url.path) cannot be opened: \(String(cString: strerror(errno)))")
    }
    let file = FileHandle(fileDescriptor: opened, closeOnDealloc: true)
    let end = try file.seekToEnd()
    try file.write(contentsOf: data)
    try file.close()
    guard end > Self.mostBytes else { return }
    _ = rename(url.path, url.path + ".1")
  }
}
