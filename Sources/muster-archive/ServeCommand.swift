internal import ArgumentParser
internal import Foundation
internal import Logging
internal import MusterArchive
internal import MusterHTTP
internal import ServiceLifecycle

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve the archive over HTTP, read-only.",
    discussion: """
      Example:  muster-archive serve --listen 0.0.0.0:7490 --certificate a.pem --key a.key

      Every client needs a token of `muster-archive token create`. Any number of these programs \
      may serve one database, also a read replica of it. See docs/archive.md for the routes.
      """)

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

  func validate() throws {
    guard (1...64).contains(connections) else {
      throw ValidationError("--connections must be 1 to 64")
    }
    guard (certificate == nil) == (key == nil) else {
      throw ValidationError("--certificate and --key belong together")
    }
    _ = try address()
  }

  func run() async throws {
    let url = try database.url()
    // Wrong credentials and the tables of a newer program are reported now, not to each client.
    _ = try Archive(at: url)
    var logger = Logger(label: "muster-archive")
    logger.logLevel = .info
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
    try await ServiceGroup(
      services: [server], gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet
    ).run()
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

  private func address() throws -> (host: String, port: Int) {
    let text = listen ?? "127.0.0.1:7490"
    guard let colon = text.lastIndex(of: ":"), colon != text.startIndex,
      let port = UInt16(text[text.index(after: colon)...])
    else { throw ValidationError("--listen must be HOST:PORT, such as 0.0.0.0:7490") }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    return (host, Int(port))
  }
}
