internal import ArgumentParser
internal import Foundation
internal import Logging
internal import MusterArchive
internal import MusterHTTP
internal import MusterNode
internal import MusterTransport
internal import ServiceLifecycle

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve the archive over HTTP, and accept uplinks.",
    discussion: """
      Example:  muster-archive serve --listen 0.0.0.0:7490 --certificate a.pem --key a.key
                muster-archive serve --homes /srv/archive --uplink 0.0.0.0:7443

      HTTP is read-only. Every client needs a token of `muster-archive token create`. Any number \
      of these programs may serve one database, also a read replica of it. See docs/archive.md for \
      the routes.

      Uplinks: laptops of all operations connect to one address with `muster run --uplink`. The \
      folder of --homes has a home for each operation, enrolled by `muster join` with the role \
      archive. Each program needs homes of its own, and a database that it can write.
      """)

  /// The nodes that accept uplinks.
  struct UplinkOptions: ParsableArguments {
    @Option(
      help: ArgumentHelp("Accept uplinks here. Needs --homes.", valueName: "host:port"))
    var uplink: String?

    @Option(
      help: ArgumentHelp("The folder with a home for each operation.", valueName: "dir"))
    var homes: String?

    @Option(
      help: ArgumentHelp(
        "Another program that accepts uplinks. May be repeated.", valueName: "https://host:port"))
    var peer: [String] = []

    @Option(
      help: ArgumentHelp(
        "Read the passphrase of the keys. (default: $MUSTER_PASSPHRASE)", valueName: "file"))
    var passphraseFile: String?
  }

  @Option(
    help: ArgumentHelp(
      "The address. (default: 127.0.0.1:7490) Others than loopback need TLS.",
      valueName: "host:port"))
  var listen: String?

  @Option(help: ArgumentHelp("The certificate chain of TLS, in PEM.", valueName: "file"))
  var certificate: String?

  @Option(help: ArgumentHelp("The private key of the certificate, in PEM.", valueName: "file"))
  var key: String?

  @Option(help: ArgumentHelp("Connections to PostgreSQL, 1 to 64.", valueName: "count"))
  var connections = 4

  @OptionGroup var database: DatabaseOptions
  @OptionGroup(title: "Uplinks") var uplinks: UplinkOptions

  func validate() throws {
    guard (1...64).contains(connections) else {
      throw ValidationError("--connections must be 1 to 64")
    }
    guard (certificate == nil) == (key == nil) else {
      throw ValidationError("--certificate and --key belong together")
    }
    guard (uplinks.uplink == nil) == (uplinks.homes == nil) else {
      throw ValidationError("--uplink and --homes belong together")
    }
    guard uplinks.uplink != nil || uplinks.peer.isEmpty else {
      throw ValidationError("--peer needs --uplink")
    }
    _ = try address()
    _ = try instance(of: "")
  }

  func run() async throws {
    let url = try database.url()
    // Wrong credentials and the tables of a newer program are reported now, not to each client.
    _ = try Archive(at: url)
    var logger = Logger(label: "muster-archive")
    logger.logLevel = .info
    ProcessLimits.permitOpenFiles()
    let (host, port) = try address()
    let server: ArchiveServer
    do {
      server = try ArchiveServer(
        of: ArchiveConnections(to: url, count: connections), host: host, port: port,
        share: connections / 2, certificate: tls, logger: logger)
    } catch let fault as ArchiveServer.MissingCertificate {
      throw ArchiveFault("\(fault)")
    } catch {
      throw ArchiveFault("the certificate cannot be used: check --certificate and --key (\(error))")
    }
    var services: [any Service] = [server]
    if let settings = try instance(of: url) {
      let instance = try await ArchiveInstance(
        settings, passphrase: try Passphrase.read(uplinks.passphraseFile),
        seed: { Seed.drawn() }, logger: logger)
      logger.info("operations: \(instance.operations.joined(separator: ", "))")
      services += instance.services
    }
    try await ProgramServices.run(services, logger: quiet)
  }

  private var quiet: Logger {
    var logger = Logger(label: "muster-archive")
    logger.logLevel = .critical
    return logger
  }

  private var tls: ArchiveServer.Certificate? {
    guard let certificate, let key else { return nil }
    return ArchiveServer.Certificate(chainFile: certificate, keyFile: key)
  }

  /// Returns what accepts uplinks; nil for nothing.
  private func instance(of url: String) throws -> ArchiveInstance.Settings? {
    guard let uplink = uplinks.uplink, let homes = uplinks.homes else { return nil }
    let (host, port) = try Self.address(uplink, of: "--uplink")
    return ArchiveInstance.Settings(
      url: url, homes: homes, host: host, port: port,
      peers: try uplinks.peer.map { text in
        do {
          return try UplinkTarget(text)
        } catch {
          throw ValidationError("--peer: \(error)")
        }
      }, connections: connections)
  }

  private func address() throws -> (host: String, port: Int) {
    try Self.address(listen ?? "127.0.0.1:7490", of: "--listen")
  }

  private static func address(
    _ text: String, of option: String
  ) throws -> (host: String, port: Int) {
    guard let colon = text.lastIndex(of: ":"), colon != text.startIndex,
      let port = UInt16(text[text.index(after: colon)...])
    else { throw ValidationError("\(option) must be HOST:PORT, such as 0.0.0.0:7490") }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    return (host, Int(port))
  }
}
