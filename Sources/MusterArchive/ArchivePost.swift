internal import Logging
internal import MusterControl
internal import MusterModel
public import MusterNode
internal import MusterReplica
internal import MusterSync

/// A post that feeds an archive: a home with its keys, and its node. The running node is asked
/// through its socket; without one the home is opened here, under its lock.
public struct ArchivePost: Sendable {
  let local: LocalDevice
  private let performer: Performer

  private enum Performer: Sendable {
    case running(ControlClient)
    case inProcess(Node)
  }

  /// Opens the keys of a home, and connects to its node. Throws `ArchiveFault`, or why the home
  /// cannot be opened.
  ///
  /// - Parameters:
  ///   - passphrase: that of the keys; nil if they are not encrypted.
  ///   - mustRun: whether a node that does not run is an error. A home that is opened here cannot
  ///     be used by a node meanwhile.
  public init(_ home: NodeHome, passphrase: [UInt8]?, mustRun: Bool = false) async throws {
    local = try Self.local(of: home, passphrase: passphrase)
    let client = ControlClient(path: try ControlSocketPath(home.socketPath))
    if try await client.isListening() {
      performer = .running(client)
    } else if mustRun {
      throw ArchiveFault(
        "no node is running in \(home.path): start it with `muster run`", isTransient: true)
    } else {
      performer = .inProcess(
        Node(
          try Self.opened(home, passphrase), transport: nil,
          logger: Logger(label: "muster-archive")))
    }
  }

  /// Creates the post of a node that runs in this process.
  init(_ node: Node, of local: LocalDevice) {
    self.local = local
    performer = .inProcess(node)
  }

  /// Reads only the keys of a home, as for the import of a file.
  static func local(of home: NodeHome, passphrase: [UInt8]?) throws -> LocalDevice {
    guard home.exists else {
      throw ArchiveFault(
        "there is no node in \(home.path): run `muster init` or `muster join`, or give --home")
    }
    do {
      return try Credentials(
        keyFile: home.keys.read(NodeHome.deviceKeyName), passphrase: passphrase
      ).local
    } catch SecretFileFault.passphraseNeeded {
      throw ArchiveFault(
        "the keys in \(home.keysDirectory) are encrypted: give --passphrase-file or "
          + "MUSTER_PASSPHRASE")
    }
  }

  private static func opened(
    _ home: NodeHome, _ passphrase: [UInt8]?
  ) throws -> sending OpenedHome {
    try OpenedHome(home) { passphrase ?? [] }
  }

  /// Returns the node's reply. Throws `ArchiveFault` if it rejects the command.
  func ask(_ command: Command) async throws -> Reply {
    let reply: Reply
    switch performer {
    case .running(let client):
      do {
        reply = try await client.perform(command)
      } catch {
        throw ArchiveFault("the node does not answer: \(error)", isTransient: true)
      }
    case .inProcess(let node): reply = await node.perform(command)
    }
    if case .refused(let reason, _) = reply { throw ArchiveFault(reason) }
    return reply
  }

  /// The reply of the node does not fit the command.
  static var unexpectedReply: ArchiveFault {
    ArchiveFault(
      "the node sent an unexpected reply: check that its version is that of this program")
  }
}
