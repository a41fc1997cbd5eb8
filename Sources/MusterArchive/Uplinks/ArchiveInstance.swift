internal import Foundation
public import Logging
internal import MusterControl
internal import MusterHTTP
public import MusterModel
internal import MusterNode
public import MusterTransport
public import ServiceLifecycle

/// The nodes of an archive's devices in one process, which accept uplinks at one address.
///
///     laptops ─ uplink ─▶ CommandPostServer ─ first datagram ─▶ node of its operation
///                                                                 ▲ ArchiveFeeder
///     other instances ◀─ uplink ─────────── nodes                 ▼
///                                                             PostgreSQL
///
/// An instance has homes, hence devices, and a certificate of its own. All else is in PostgreSQL:
/// one that starts with empty databases has everything after the first round.
public struct ArchiveInstance {
  /// What MUST run in one service group, in this order.
  public let services: [any Service]
  /// The names of the operations.
  public let operations: [String]

  /// How an instance runs.
  public struct Settings: Sendable, Redacted {
    /// The database, which MUST be writable.
    public var url: String
    /// The folder with a home for each operation.
    public var homes: String
    /// The address of the listener.
    public var host: String
    /// Its port; 0 for one that the system chooses.
    public var port: Int
    /// Other instances.
    public var peers: [UplinkTarget]
    /// The most connections to PostgreSQL.
    public var connections: Int

    /// Creates settings.
    public init(
      url: String, homes: String, host: String, port: Int, peers: [UplinkTarget], connections: Int
    ) {
      (self.url, self.homes, self.peers) = (url, homes, peers)
      (self.host, self.port, self.connections) = (host, port, connections)
    }
  }

  /// Opens all homes, and locks them for this process. Throws `ArchiveFault`, or why one of them
  /// cannot be opened.
  ///
  /// - Parameters:
  ///   - passphrase: that of the keys of all homes; nil if they are not encrypted.
  ///   - seed: returns 32 bytes from the operating system.
  public init(
    _ settings: Settings, passphrase: [UInt8]?, seed: @escaping @Sendable () -> [UInt8],
    logger: Logger
  ) async throws {
    let homes = try Self.homes(in: settings.homes)
    let identity = try InstanceIdentity.load(in: settings.homes, seed: seed)
    var (running, routes, clients): ([any Service], [UplinkRoute], [any Service]) = ([], [], [])
    var nodes: [ArchivedNode] = []
    for home in homes {
      let local = try ArchivePost.local(of: home, passphrase: passphrase)
      guard !nodes.contains(where: { $0.post.local.operation == local.operation }) else {
        throw ArchiveFault(
          "\(home.path) is a second device of \"\(local.operationName)\": keep one of them")
      }
      guard local.author.role.servesUplinks else {
        throw ArchiveFault(
          "the device in \(home.path) is \(local.author.role.name), and cannot accept uplinks: "
            + "enrol one by `muster invite --role archive`")
      }
      let uplinks = UplinkSwitch(targets: settings.peers)
      var logger = logger
      logger[metadataKey: "operation"] = "\(local.operationName)"
      let node = Node(
        try OpenedHome(home) { passphrase ?? [] }, transport: nil, uplinks: uplinks,
        logger: logger)
      try await node.confirmArchived([])
      routes.append(UplinkRoute(to: uplinks) { local.authenticates(initiation: $0) })
      let programs = Programs(node: node, logger: logger)
      running += [
        NodeService(node: node, transport: nil, peers: [], linkRate: nil), programs,
        WebServer(
          at: .socket(try ControlSocketPath(home.socketPath)), node: node, programs: programs,
          logger: logger),
      ]
      clients.append(
        UplinkClient(proxy: nil, uplinks: uplinks, logger: logger) {
          UInt64.random(in: .min ... .max)
        })
      nodes.append(
        ArchivedNode(
          node: node, post: ArchivePost(node, of: local), certificate: identity.certificate,
          seed: seed, logger: logger))
    }
    operations = nodes.map(\.post.local.operationName)
    let server = CommandPostServer(
      host: settings.host, port: settings.port, identity: identity,
      routing: UplinkSwitch(routing: routes), logger: logger, onListening: { _ in })
    services =
      running + clients + Self.feeders(of: nodes, settings, logger: logger) + [server]
  }

  /// Divides the nodes among the connections.
  private static func feeders(
    of nodes: [ArchivedNode], _ settings: Settings, logger: Logger
  ) -> [any Service] {
    let count = min(settings.connections, nodes.count)
    return (0..<count).map { number in
      ArchiveFeeder(
        url: settings.url,
        nodes: stride(from: number, to: nodes.count, by: count).map { nodes[$0] },
        executor: BlockingExecutor(label: "muster.archive-feeder-\(number)"), logger: logger)
    }
  }

  /// Returns the homes in a folder, by name. Folders without a device are ignored.
  private static func homes(in folder: String) throws -> [NodeHome] {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    } catch {
      throw ArchiveFault("\(folder) cannot be read: check --homes")
    }
    var environment = ProcessInfo.processInfo.environment
    // It is the folder of one device.
    environment["MUSTER_KEYS"] = nil
    let homes = names.map {
      NodeHome.locate(home: folder + "/" + $0, keys: nil, environment: environment)
    }.filter(\.exists)
    guard !homes.isEmpty else {
      throw ArchiveFault(
        "\(folder) has no home of a device: run `muster join … --home \(folder)/NAME` for each "
          + "operation")
    }
    return homes
  }
}
