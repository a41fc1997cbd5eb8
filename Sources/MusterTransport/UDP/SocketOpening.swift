internal import MusterModel
internal import NIOCore
internal import NIOPosix

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Opens the two kinds of socket.
struct SocketOpening {
  let eventLoop: any EventLoop
  let inbox: Inbox
  let ledger: CounterLedger
  let ownEndpoints: NIOLoopBoundBox<Set<Endpoint>>

  /// A longer datagram is truncated here, and still detected as too long.
  private static let readSlotBytes = 1536
  private static let datagramsPerRead = 32
  private static let receiveBufferBytes: Int32 = 4 << 20
  private static let sendBufferBytes: Int32 = 1 << 20

  /// Opens the node's own socket. It ignores ICMP messages about the size of a path, as
  /// `DirectSend` does. Without SO_REUSEADDR, which on UDP would let a second node bind
  /// the same port and receive every other datagram.
  ///
  /// - Parameter hops: the hops of announces.
  func unicast(on listen: Endpoint, hops: Int32) async throws(TransportError) -> any Channel {
    var bootstrap = bootstrap(viaMulticast: false)
      .channelOption(.socketOption(.so_sndbuf), value: .init(Self.sendBufferBytes))
    switch listen.family {
    case .ipv4:
      bootstrap =
        bootstrap
        .channelOption(.ipOption(.ip_multicast_ttl), value: .init(hops))
        .channelOption(.ipOption(.ip_multicast_loop), value: 1)
      #if !canImport(Darwin)
        bootstrap = bootstrap.channelOption(
          Self.option(IP_MTU_DISCOVER, of: .ip), value: .init(IP_PMTUDISC_OMIT))
      #endif
    case .ipv6:
      bootstrap =
        bootstrap
        .channelOption(Self.ipv6Option(.ipv6_v6only), value: 1)
        .channelOption(Self.ipv6Option(.ipv6_multicast_hops), value: .init(hops))
        .channelOption(Self.ipv6Option(.ipv6_multicast_loop), value: 1)
      #if !canImport(Darwin)
        bootstrap = bootstrap.channelOption(
          Self.option(IPV6_MTU_DISCOVER, of: .ipv6), value: .init(IP_PMTUDISC_OMIT))
      #endif
    }
    do {
      return try await bootstrap.bind(to: listen.socketAddress).get()
    } catch {
      throw TransportError(error, listen: listen)
    }
  }

  /// Opens a socket for one family's announce group, shared by all nodes of the machine.
  ///
  /// IPv4 binds to the group itself, so that nothing else sent to the port is received. IPv6
  /// cannot: a link-local group's address is bound to one interface.
  func group(_ group: MulticastGroup, family: AddressFamily) async throws -> any Channel {
    var bootstrap = bootstrap(viaMulticast: true)
      .channelOption(.socketOption(.so_reuseaddr), value: 1)
    #if canImport(Darwin)
      // Linux delivers multicast to all sockets that reuse the address; here SO_REUSEPORT is also
      // required.
      bootstrap = bootstrap.channelOption(.socketOption(.so_reuseport), value: 1)
    #endif
    switch family {
    case .ipv4:
      return try await bootstrap.bind(to: group.endpoint(.ipv4).socketAddress).get()
    case .ipv6:
      bootstrap = bootstrap.channelOption(Self.ipv6Option(.ipv6_v6only), value: 1)
      let anyAddress = Endpoint(trusted: [UInt8](repeating: 0, count: 16), port: group.port)
      return try await bootstrap.bind(to: anyAddress.socketAddress).get()
    }
  }

  private func bootstrap(viaMulticast: Bool) -> DatagramBootstrap {
    DatagramBootstrap(group: eventLoop)
      .channelOption(.socketOption(.so_rcvbuf), value: .init(Self.receiveBufferBytes))
      .channelOption(.receivePacketInfo, value: true)
      .channelOption(.datagramVectorReadMessageCount, value: Self.datagramsPerRead)
      .channelOption(
        .recvAllocator,
        value: FixedSizeRecvByteBufferAllocator(
          capacity: Self.datagramsPerRead * Self.readSlotBytes)
      )
      .channelInitializer { [inbox, ledger, ownEndpoints] channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.closeOnExec()
          try channel.pipeline.syncOperations.addHandler(
            DatagramReceiver(
              viaMulticast: viaMulticast, inbox: inbox, ledger: ledger, ownEndpoints: ownEndpoints))
        }
      }
  }

  private static func option(
    _ number: Int32, of level: NIOBSDSocket.OptionLevel
  ) -> ChannelOptions.Types.SocketOption {
    .init(level: level, name: NIOBSDSocket.Option(rawValue: number))
  }

  private static func ipv6Option(
    _ name: NIOBSDSocket.Option
  ) -> ChannelOptions.Types.SocketOption {
    .init(level: .ipv6, name: name)
  }
}

extension TransportError {
  /// Converts a bind error into one that names the address to change.
  fileprivate init(_ error: any Error, listen: Endpoint) {
    let address = listen.description
    switch (error as? IOError)?.errnoCode {
    case EADDRINUSE: self = .addressInUse(address)
    case EADDRNOTAVAIL: self = .addressNotAvailable(address)
    case EACCES, EPERM: self = .permissionDenied(address)
    case let code?:
      self = .socketRefused(
        address, reason: strerror(code).map { String(cString: $0) } ?? "\(code)")
    case nil: self = .socketRefused(address, reason: "\(error)")
    }
  }
}
