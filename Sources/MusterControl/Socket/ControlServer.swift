public import Logging
internal import MusterNode
internal import NIOCore
internal import NIOPosix
public import ServiceLifecycle
internal import Synchronization

/// The local socket through which the command line reaches a running node.
///
/// A connection is a sequence of requests and their answers, one at a time; a `follow` is answered
/// by batches of events until its client goes away. Who may connect is decided by the file system:
/// the socket is 0600 in a folder of 0700. At shutdown a request that is being worked on is still
/// answered, then everything closes.
///
/// It is no defence against the user's own programs beyond its bounds on sizes and numbers, and it
/// decides nothing: the node does.
public struct ControlServer: Service {
  private let path: ControlSocketPath
  private let performer: any CommandPerformer
  private let logger: Logger
  private let onListening: @Sendable () -> Void

  /// - performer: the node, of which the home's lock MUST be held.
  /// - onListening: called once clients can connect.
  public init(
    path: ControlSocketPath, performer: any CommandPerformer, logger: Logger,
    onListening: @escaping @Sendable () -> Void = {}
  ) {
    self.path = path
    self.performer = performer
    self.logger = logger
    self.onListening = onListening
  }

  /// Listens until shutdown or cancellation, then takes the socket away. Throws `ControlFault`
  /// where it cannot listen.
  public func run() async throws {
    try path.prepare()
    let server = try await listen()
    let outcome: Result<Void, any Error>
    do {
      try await withGracefulShutdownHandler {
        try await accept(from: server)
      } onGracefulShutdown: {
        server.channel.close(promise: nil)
      }
      outcome = .success(())
    } catch {
      outcome = .failure(error)
    }
    try path.remove()
    try outcome.get()
  }

  private func listen() async throws -> NIOAsyncChannel<MessageChannel, Never> {
    do {
      return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .bind(unixDomainSocketPath: path.description) { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.messages(upTo: ControlLimits.requestBytes)
          }
        }
    } catch {
      throw ControlFault.socket(path: path.description, reason: "cannot listen: \(error)")
    }
  }

  private func accept(from server: NIOAsyncChannel<MessageChannel, Never>) async throws {
    let open = ConnectionCount()
    try await server.executeThenClose { connections in
      try path.restrict()
      try await withThrowingDiscardingTaskGroup { group in
        onListening()
        for try await connection in connections {
          let isAllowed = open.enter()
          group.addTask {
            await serve(connection, isAllowed: isAllowed)
            open.leave()
          }
        }
      }
    }
  }

  private func serve(_ connection: MessageChannel, isAllowed: Bool) async {
    do {
      try await connection.executeThenClose { inbound, outbound in
        guard isAllowed else {
          return try await outbound.write(
            Response(reply: .refused("too many programs are connected")).encoded())
        }
        try await ControlConversation(performer: performer, outbound: outbound).run(inbound)
      }
    } catch {
      // A client that went away, or one that does not speak the protocol: its own trouble only.
      logger.debug("A control connection ended", metadata: ["reason": "\(error)"])
    }
  }
}

/// How many connections are open; over the bound they are turned away.
private final class ConnectionCount: Sendable {
  private let count = Atomic(0)

  func enter() -> Bool {
    count.add(1, ordering: .relaxed).newValue <= ControlLimits.connections
  }

  func leave() { count.subtract(1, ordering: .relaxed) }
}
