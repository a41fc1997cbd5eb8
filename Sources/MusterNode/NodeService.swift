public import Logging
public import MusterLocation
public import MusterModel
public import MusterTransport
public import ServiceLifecycle

/// Runs a node until shutdown, and passes it what arrives, in order.
public struct NodeService: Service {
  private let node: Node
  private let transport: UDPTransport?
  private let peers: [Endpoint]
  private let linkRate: LinkRate?
  private let certificate: [UInt8]?

  /// Creates a service. The transport MUST be run by the same service group, and be that of the
  /// node.
  ///
  /// - Parameters:
  ///   - transport: nil for a node that is reached by uplinks only.
  ///   - linkRate: the rate limit of each link of this machine; nil for no limit.
  ///   - certificate: its TLS certificate as a command post; nil if it is none.
  public init(
    node: Node, transport: UDPTransport?, peers: [Endpoint], linkRate: LinkRate?,
    certificate: [UInt8]? = nil
  ) {
    self.certificate = certificate
    self.node = node
    self.transport = transport
    self.peers = peers
    self.linkRate = linkRate
  }

  /// Returns after a graceful shutdown, or when the transport's stream of datagrams ends.
  public func run() async throws {
    await node.start(peers: peers, linkRate: linkRate)
    await withTaskGroup(of: Void.self) { group in
      if let transport {
        group.addTask {
          for await change in transport.changes.cancelOnGracefulShutdown() {
            await node.networkChanged(change)
          }
        }
      }
      if let uplinks = node.ports.uplinks {
        group.addTask {
          for await event in uplinks.events.cancelOnGracefulShutdown() { await node.take(event) }
        }
      }
      if let certificate { group.addTask { await node.nameUplink(certificate) } }
      if let transport {
        for await batch in transport.datagrams.cancelOnGracefulShutdown() {
          await node.receive(batch)
        }
      } else {
        do {
          try await gracefulShutdown()
        } catch {
          // Cancelled, which ends the node too.
        }
      }
      group.cancelAll()
    }
    node.ports.uplinks?.close()
    await node.stop()
  }
}

/// Plays a recorded track into a node, then waits for shutdown.
public struct ReplayService: Service {
  private let node: Node
  private let replay: GPXReplay
  private let logger: Logger

  /// Creates a service. A track that fails is logged and abandoned: the node continues.
  public init(node: Node, replay: GPXReplay, logger: Logger) {
    self.node = node
    self.replay = replay
    self.logger = logger
  }

  /// Waits after the track's end, since a service that returns would end its group.
  public func run() async throws {
    await cancelWhenGracefulShutdown {
      do {
        await node.take(.state(.connected), from: .replay)
        try await replay.run { fix in
          let sample = SourceFix(
            position: fix.position, accuracyDecimetres: fix.accuracyDecimetres,
            sampleTime: fix.sampleTime)
          await node.take(.reading(.fix(sample)), from: .replay)
        }
        await node.take(.state(.ended), from: .replay)
        logger.info("the track has ended")
      } catch is CancellationError {
        return
      } catch {
        logger.error("the track could not be played: \(error)")
      }
    }
    try await gracefulShutdown()
  }
}
