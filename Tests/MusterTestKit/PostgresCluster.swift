internal import Foundation

/// A PostgreSQL server of a test: its own data folder, port and password. It runs as an ordinary
/// user, since PostgreSQL refuses to run as root.
package final class PostgresCluster {
  private let folder: URL
  private let port: UInt16
  private var server: Child?
  private var starts = 0
  private var settings: [String] = []

  private static let password = "sesame"
  private static var isRoot: Bool { getuid() == 0 }

  /// The folder of the installed server programs; nil without them.
  private static let programs: URL? = {
    let versions = URL(filePath: "/usr/lib/postgresql")
    let names =
      (try? FileManager.default.contentsOfDirectory(atPath: versions.path))?.sorted() ?? []
    return names.map { versions.appending(path: "\($0)/bin") }
      .last { Installed.hasFile($0.appending(path: "initdb")) }
  }()

  /// Whether the server and PostGIS are installed.
  package static var isInstalled: Bool {
    guard let programs else { return false }
    let version = programs.deletingLastPathComponent().lastPathComponent
    return Installed.hasFile(
      URL(filePath: "/usr/share/postgresql/\(version)/extension/postgis.control"))
  }

  /// Runs a test with a new server, and removes it whatever the result.
  package static func run(_ story: (PostgresCluster) async throws -> Void) async throws {
    let cluster = try PostgresCluster()
    do {
      try await cluster.initialize()
      try await cluster.start()
      try await story(cluster)
    } catch {
      cluster.clear()
      throw error
    }
    cluster.clear()
  }

  private init() throws {
    port = try FreePort.next()
    folder = FileManager.default.temporaryDirectory.appending(
      path: "mpg-\(UInt32.random(in: .min ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    try Self.giveToServer(folder)
  }

  /// Gives a file to the user as which the server runs.
  private static func giveToServer(_ file: URL) throws {
    guard isRoot else { return }
    guard let user = getpwnam("postgres"),
      chown(file.path, user.pointee.pw_uid, user.pointee.pw_gid) == 0
    else { throw Failed("cannot give \(file.path) to the user postgres") }
  }

  /// The URL of the database `postgres`, as a user that may do everything.
  package var url: String { url(password: Self.password) }

  package func url(password: String, user: String = "muster", database: String = "postgres")
    -> String
  {
    "postgres://\(user):\(password)@127.0.0.1:\(port)/\(database)"
  }

  private func initialize() async throws {
    let secret = folder.appending(path: "password")
    try Data(Self.password.utf8).write(to: secret)
    let child = try child(
      "initdb",
      [
        "-D", data, "-U", "muster", "--auth=scram-sha-256", "--pwfile", secret.path, "--no-sync",
        "--encoding=UTF8", "--locale=C",
      ], name: "initdb")
    let ended = try await child.end(within: .seconds(60))
    guard ended.status == 0 else { throw Failed("initdb: \(ended)") }
  }

  /// Starts the server, and waits until it answers.
  package func start() async throws {
    try await eventually("PostgreSQL answers", within: .seconds(60)) {
      if server?.isRunning != true {
        starts += 1
        server = try child(
          "postgres",
          [
            "-D", data, "-c", "listen_addresses=127.0.0.1", "-c", "port=\(port)", "-c",
            "unix_socket_directories=", "-c", "max_connections=20",
          ] + settings.flatMap { ["-c", $0] }, name: "server-\(starts)")
      }
      return try await psql("SELECT 1").status == 0
    }
  }

  /// Restarts the server with TLS.
  package func serveTLS(certificate: String, key: String) async throws {
    for (name, file) in [("server.crt", certificate), ("server.key", key)] {
      let copy = URL(filePath: data).appending(path: name)
      try Data(contentsOf: URL(filePath: file)).write(to: copy)
      guard chmod(copy.path, 0o600) == 0 else { throw Failed("cannot protect \(copy.path)") }
      try Self.giveToServer(copy)
    }
    settings.append("ssl=on")
    try await kill()
    try await start()
  }

  /// Ends the server and all its processes at once, as a power switch does to them.
  package func kill() async throws {
    guard let server else { return }
    let list = "/proc/\(server.pid)/task/\(server.pid)/children"
    let children = (try? String(contentsOfFile: list, encoding: .utf8)) ?? ""
    for pid in [server.pid] + children.split(separator: " ").compactMap({ pid_t($0) }) {
      Foundation.kill(pid, SIGKILL)
    }
    server.endNow()
    self.server = nil
  }

  /// Runs SQL, and returns its output: one row a line, columns separated by `|`.
  @discardableResult
  package func query(_ sql: String) async throws -> String {
    let ended = try await psql(sql)
    guard ended.status == 0 else { throw Failed("\(ended)") }
    return ended.output.trimmingCharacters(in: .newlines)
  }

  private func psql(_ sql: String) async throws -> Ended {
    try await begin(sql).end(within: .seconds(60))
  }

  /// Starts SQL in one transaction, as for a program that hangs in it.
  package func begin(_ sql: String) throws -> Child {
    try Child(
      URL(filePath: "/usr/bin/psql"), [url, "-XAtq", "-c", sql],
      environment: Child.surroundings(home: folder.path), in: folder,
      name: "psql-\(UInt32.random(in: .min ... .max))")
  }

  private var data: String { folder.appending(path: "data").path }

  /// Starts a program of the server, as the user `postgres` if this process is root.
  private func child(_ program: String, _ words: [String], name: String) throws -> Child {
    guard let path = Self.programs?.appending(path: program) else {
      throw Failed("PostgreSQL is not installed")
    }
    let environment = Child.surroundings(home: folder.path)
    guard Self.isRoot else {
      return try Child(path, words, environment: environment, in: folder, name: name)
    }
    // It becomes the program: the child's id is the server's.
    return try Child(
      URL(filePath: "/usr/bin/setpriv"),
      ["--reuid=postgres", "--regid=postgres", "--clear-groups", "--", path.path] + words,
      environment: environment, in: folder, name: name)
  }

  private func clear() {
    server?.signal(SIGINT)
    server?.endNow()
    do {
      try FileManager.default.removeItem(at: folder)
    } catch {
      print("\(folder.path) could not be removed: \(error)")
    }
  }
}
