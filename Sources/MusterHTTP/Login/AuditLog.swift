internal import Foundation
internal import Logging
internal import MusterInterchange
internal import MusterModel
internal import MusterNode
internal import Synchronization

/// The log of logins and of their writes, one JSON object a line, in a file of the home that only
/// this user can read. At eight megabytes it is rotated, and the previous rotated file is deleted.
///
/// A login has a share of lines each minute, so that none displaces the actions of others. What is
/// beyond it is counted in one line; reports of safety and logins always have their own.
final class AuditLog: Sendable {
  private struct Share {
    let since: ContinuousClock.Instant
    var lines = 0
    var further = 0
  }

  private static let mostBytes: UInt64 = 8 * 1024 * 1024
  private static let linesAMinute = 60
  private static let mostShares = 512
  private let url: URL
  private let logger: Logger
  private let shares = Mutex<[String: Share]>([:])

  init(in folder: String, logger: Logger, name: String = "audit.log") {
    url = URL(filePath: folder).appending(path: name)
    self.logger = logger
  }

  /// Returns the log of failed logins, which MUST NOT displace the actions of users.
  func ofFailures() -> AuditLog {
    AuditLog(
      in: url.deletingLastPathComponent().path, logger: logger, name: "audit-failed.log")
  }

  deinit { shares.withLock { finish(&$0) { _ in true } } }

  /// - Parameter name: the login's name, or the claimed name of a failed login.
  func record(
    _ what: String, by name: String, from client: String, status: Int,
    now: ContinuousClock.Instant = .now
  ) {
    let name = String(name.prefix(200))
    shares.withLock { shares in
      finish(&shares) { now - $0.since >= .seconds(60) }
      let key = shares[name] == nil && shares.count >= Self.mostShares ? "" : name
      var share = shares[key] ?? Share(since: now)
      defer { shares[key] = share }
      let isKept = what.contains("/me/safety") || what.hasPrefix("log")
      if !isKept {
        guard share.lines < Self.linesAMinute else {
          share.further += 1
          return
        }
        share.lines += 1
      }
      write([
        "name": .string(name), "client": .string(client),
        "what": .string(String(what.prefix(300))), "status": .count(status),
      ])
    }
  }

  /// Ends shares, with a line for what was beyond them.
  private func finish(_ shares: inout [String: Share], where isOver: (Share) -> Bool) {
    for (name, share) in shares where isOver(share) {
      shares[name] = nil
      guard share.further > 0 else { continue }
      write([
        "name": .string(name), "what": .string("further requests"), "count": .count(share.further),
      ])
    }
  }

  private func write(_ members: [String: JSON]) {
    let line = JSON.object(members.merging(["time": .time(SystemClock.wall)]) { $1 }).text
    do {
      try append(Data((line + "\n").utf8))
    } catch {
      logger.error("the audit log cannot be written: \(error)")
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
