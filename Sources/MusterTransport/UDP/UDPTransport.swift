public import Logging
public import MusterModel
internal import NIOCore
internal import NIOPosix
public import ServiceLifecycle
internal import Synchronization

/// The UDP transport of one node.
///
/// ```
///                ┌ unicast sockets on --listen ──────────┐
/// send() ───────▶│ peers, and announces on each interface│──▶ network
///                └──────────────┬────────────────────────┘
/// datagrams ◀── inbox ◀─────────┤
///                ┌──────────────┴────────────────────────┐
///                │ group sockets (IPv4, IPv6), port 7475 │◀── announces
///                └───────────────────────────────────────┘
/// ```
///
/// All sockets run on one event loop. Guarantees: no datagram over `Limits.largestDatagramBytes` is
/// sent or delivered; every queue is bounded and every dropped datagram is counted; no network
/// error ends the transport. Within `rescanSeconds`, sockets that closed unexpectedly are reopened,
/// new interfaces are joined, and `changes` reports it. It reports the interface on which each
/// datagram arrived; outgoing datagrams follow the machine's routes, except announces. It does not
/// authenticate, retry or pace.
///
/// A wildcard address listens on IPv4 and IPv6, by a socket each on one port. On a machine or a
/// port without IPv6 the other family is used alone, and the missing socket is tried again. Any
/// other address listens in its own family: datagrams for the other are dropped and counted,
/// although announces of both are received. Announces leave once on each interface: in the family
/// of the address to listen on, and in the other where the interface has no address of that one.
public final class UDPTransport: Service {
  /// The maximum number of received datagrams that wait for the reader, about 10 MB. Newer ones are
  /// dropped.
  public static let receiveBound = 8192
  /// The maximum number of datagrams that wait for the event loop. Further batches are dropped.
  public static let sendBound = 8192
  /// How often the machine's interfaces are scanned, which takes a tenth of a millisecond.
  public static let rescanSeconds = 1
  /// A scan that is this late means that the machine or this process was suspended.
  static let wakeSeconds = 4

  /// Received datagrams in order of arrival. One batch is one read cycle or, while the reader is
  /// behind, several, at most `Limits.inputsPerBatch` datagrams. Bounded by `receiveBound`. Ends
  /// when the transport closes.
  ///
  /// MUST be read by one task.
  public let datagrams: AsyncStream<[ReceivedDatagram]>
  /// Reports that paths to peers may have changed: addresses, carriers, or a suspension of this
  /// machine. Unread changes are merged.
  ///
  /// MUST be read by one task.
  public let changes: AsyncStream<NetworkChange>
  /// The port of the unicast socket. Differs from the configured port only if that was 0.
  public let boundPort: UInt16

  private let configuration: UDPConfiguration
  private let logger: Logger
  private let inbox: Inbox
  private let ledger: CounterLedger
  private let opening: SocketOpening
  let sockets: NIOLoopBoundBox<OpenSockets>
  private let waitingSends = Atomic(0)
  private let changing: AsyncStream<NetworkChange>.Continuation

  /// Binds the port before the rest of a node starts, so that a second node on the same port fails
  /// at once. MUST be followed by `run()` or `close()`.
  public static func bind(
    configuration: UDPConfiguration, logger: Logger
  ) async throws(TransportError) -> UDPTransport {
    let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
    let opening = SocketOpening(
      eventLoop: eventLoop, inbox: Inbox(), ledger: CounterLedger(),
      ownEndpoints: .makeBoxSendingValue([], eventLoop: eventLoop))
    let unicast = try await opening.unicast(
      on: configuration.listen, hops: configuration.multicastHops)
    let transport = UDPTransport(
      configuration: configuration, logger: logger, opening: opening, unicast: unicast)
    await transport.rescan()
    return transport
  }

  private init(
    configuration: UDPConfiguration, logger: Logger, opening: SocketOpening,
    unicast: any Channel
  ) {
    self.configuration = configuration
    self.logger = logger
    self.opening = opening
    let inbox = opening.inbox
    self.inbox = inbox
    ledger = opening.ledger
    datagrams = AsyncStream { await inbox.next() }
    (changes, changing) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    boundPort = unicast.localAddress.flatMap { Endpoint($0) }?.port ?? configuration.listen.port
    sockets = .makeBoxSendingValue(
      OpenSockets(unicast: [configuration.listen.family: unicast]), eventLoop: opening.eventLoop)
  }

  /// Rescans the machine's interfaces until shutdown or cancellation, then closes the sockets.
  public func run() async throws {
    await cancelWhenGracefulShutdown { await self.watch() }
    await close()
  }

  private func watch() async {
    var known = InterfaceState.current()
    // This clock continues while the machine is suspended.
    var looked = ContinuousClock.now
    while !Task.isCancelled {
      do {
        try await Task.sleep(for: .seconds(Self.rescanSeconds))
      } catch {
        return  // Cancelled: the regular end.
      }
      await rescan()
      let found = InterfaceState.current()
      let hasSlept = looked.duration(to: .now) > .seconds(Self.wakeSeconds)
      if found != known { changing.yield(.interfaces) }
      if hasSlept { changing.yield(.woke) }
      known = found
      looked = .now
    }
  }

  /// Closes all sockets and ends `datagrams`. For a transport that was bound and will not be run.
  public func close() async {
    let channels = await onEventLoop { sockets in
      sockets.isClosed = true
      return sockets.unicast.values + sockets.groups.values.map(\.channel)
    }
    for channel in channels {
      do {
        try await channel.close()
      } catch {
        logger.debug("A socket had closed before", metadata: ["error": "\(error)"])
      }
    }
    inbox.finish()
    changing.finish()
  }

  /// The IP families in which this transport may send, that of its `listen` address first.
  var families: [AddressFamily] { configuration.families }

  /// The current counters.
  public var counters: TransportCounters { ledger.reading }

  /// Returns the addresses of the open sockets, for status.
  public func listeningEndpoints() async -> [Endpoint] {
    let missing = await onEventLoop { [self] in $0.missingUnicast(of: families) }
    return families.filter { !missing.contains($0) }.map {
      configuration.address($0, port: boundPort)
    }
  }

  /// Returns the addresses at which this node is reachable: those of this machine with the bound
  /// port, networks before loopback, and the family of `listen` first; only the address of `listen`
  /// if it is specific. IPv6 link-local addresses are left out, since they have no meaning on
  /// another machine.
  public func localEndpoints() -> [Endpoint] {
    guard configuration.listen.isWildcard else {
      return [configuration.listen.with(port: boundPort)]
    }
    let all = interfaces().map(\.address)
    let own = families.flatMap { family in
      all.filter { $0.family == family && !(family == .ipv6 && $0.isLinkLocal) }
    }
    let ranked =
      own.filter { !$0.isLoopback && !$0.isLinkLocal } + own.filter(\.isLinkLocal)
      + own.filter(\.isLoopback)
    return ranked.map { $0.with(port: boundPort) }
  }

  /// Returns the system's name of a link; nil if it is unknown or was removed.
  public func interfaceName(of link: LinkID) -> String? { link.interfaceName }

  // MARK: Sending

  /// Queues datagrams for the event loop and returns at once. They are sent in this order. At most
  /// `sendBound` may be queued: a batch beyond that is dropped whole. Datagrams that the operating
  /// system rejects are dropped individually. Both are counted.
  public func send(_ datagrams: [OutboundDatagram]) {
    let waiting = waitingSends.add(datagrams.count, ordering: .relaxed).newValue
    guard waiting <= Self.sendBound else {
      waitingSends.subtract(datagrams.count, ordering: .relaxed)
      ledger.drop(.senderBehind, count: datagrams.count)
      return
    }
    opening.eventLoop.execute {
      self.waitingSends.subtract(datagrams.count, ordering: .relaxed)
      self.ledger.add(self.write(datagrams))
    }
  }

  private func write(_ datagrams: [OutboundDatagram]) -> TransportCounters {
    let open = sockets.value
    var tally = TransportCounters()
    // Nothing closes a socket while the event loop is in here.
    let own = open.unicast.compactMapValues { Self.socket(of: $0) }
    for datagram in datagrams {
      switch datagram.to {
      case .endpoint(let endpoint, _):
        tally.count(send(datagram.bytes, to: endpoint, by: own), of: datagram.bytes.count)
      case .multicast(let link):
        let interfaces = open.announceInterfaces.filter {
          link == nil || $0.index == link.map { Int($0.index) }
        }
        if interfaces.isEmpty { tally.drop(.noInterface) }
        for interface in interfaces {
          tally.count(announce(datagram.bytes, on: interface, by: own), of: datagram.bytes.count)
        }
      }
    }
    return tally
  }

  private static func socket(of channel: any Channel) -> DirectSend? {
    do {
      return try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
        of: NIOBSDSocket.Handle.self
      ) { DirectSend(handle: $0) }
    } catch {
      return nil
    }
  }

  private func send(
    _ bytes: [UInt8], to endpoint: Endpoint, by own: [AddressFamily: DirectSend]
  ) -> DropReason? {
    guard let socket = own[endpoint.family] else {
      return families.contains(endpoint.family) ? .socketClosed : .otherFamily
    }
    return socket.send(bytes, to: endpoint.socketAddress)
  }

  private func announce(
    _ bytes: [UInt8], on interface: LocalInterface, by own: [AddressFamily: DirectSend]
  ) -> DropReason? {
    let family = interface.address.family
    guard let socket = own[family] else { return .socketClosed }
    if family == .ipv4, !socket.useForMulticast(interfaceIndex: interface.index) {
      return .unreachable
    }
    let scope = family == .ipv6 ? UInt32(truncatingIfNeeded: interface.index) : 0
    let group = configuration.group.endpoint(family, scope: scope)
    return socket.send(bytes, to: group.socketAddress)
  }

  // MARK: Interface changes

  /// Reopens missing sockets and joins new interfaces.
  func rescan() async {
    let interfaces = interfaces()
    await rebuildUnicast()
    if configuration.multicast, !configuration.listen.isLoopback { await openGroups() }
    await onEventLoop { [self] sockets in
      opening.ownEndpoints.value = Set(interfaces.map { $0.address.with(port: boundPort) })
      sockets.announceInterfaces =
        configuration.multicast ? interfaces.carryingMulticast(for: configuration.listen) : []
      for family in AddressFamily.allCases {
        sockets.groups[family]?.join(
          configuration.group.endpoint(family),
          by: interfaces.joinable(family, listen: configuration.listen), logger: logger)
      }
    }
  }

  private func rebuildUnicast() async {
    let missing = await onEventLoop { [self] sockets in
      sockets.isClosed ? [] : sockets.missingUnicast(of: families)
    }
    for family in missing {
      let isNew = await onEventLoop { $0.unicast[family] == nil }
      do {
        let channel = try await opening.unicast(
          on: configuration.address(family, port: boundPort), hops: configuration.multicastHops)
        await adopt(channel) { $0.unicast[family] = channel }
        if !isNew {
          ledger.countRebuilt()
          logger.notice("The UDP socket had closed and was opened again")
        }
      } catch  where isNew {
        // A machine without this family, or with another program on its port.
        logger.debug(
          "Cannot listen in the other address family",
          metadata: ["family": "\(family)", "error": "\(error)"])
      } catch {
        logger.warning(
          "The UDP socket has closed and cannot be opened", metadata: ["error": "\(error)"])
      }
    }
  }

  private func openGroups() async {
    for family in await onEventLoop({ $0.isClosed ? [] : $0.missingGroups }) {
      do {
        let channel = try await opening.group(configuration.group, family: family)
        await adopt(channel) { $0.groups[family] = OpenSockets.Group(channel: channel) }
      } catch {
        logger.debug(
          "Cannot receive announces of this address family",
          metadata: ["family": "\(family)", "error": "\(error)"])
      }
    }
  }

  /// Keeps a newly opened socket, unless the transport was closed in the meantime.
  private func adopt(
    _ channel: any Channel, _ keep: @escaping @Sendable (inout OpenSockets) -> Void
  ) async {
    await onEventLoop { sockets in
      guard !sockets.isClosed else { return channel.close(promise: nil) }
      keep(&sockets)
    }
  }

  private func interfaces() -> [LocalInterface] {
    do {
      return try LocalInterface.enumerate()
    } catch {
      logger.warning("Cannot list the network interfaces", metadata: ["error": "\(error)"])
      return []
    }
  }

  func onEventLoop<Result: Sendable>(
    _ body: @escaping @Sendable (inout OpenSockets) -> Result
  ) async -> Result {
    await withCheckedContinuation { continuation in
      opening.eventLoop.execute { continuation.resume(returning: body(&self.sockets.value)) }
    }
  }
}
