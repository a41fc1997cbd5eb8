internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// The only path between two laptops: a pair of UDP sockets on loopback.
///
///     Anna ◀──▶ [socket at A's end]   [socket at B's end] ◀──▶ Cleo
///               a datagram received by one is sent by the other
///
/// Each node gets only the address of its own end (`--peer`), and receives the other from there, so
/// that neither learns the other's real address. While the link is down, datagrams are counted and
/// dropped, as in a valley without radio coverage.
final class Link: Sendable {
  enum End: CaseIterable, Sendable {
    case first, second

    var other: End { self == .first ? .second : .first }
  }

  private struct State {
    var sockets: [End: any Channel] = [:]
    /// The laptops' addresses, from the first datagram of each. A node keeps its port.
    var laptops: [End: SocketAddress] = [:]
    var isCut = false
    var heldBack = 0
  }

  private let state = Mutex(State())

  private init() {}

  /// Opens both ends on free ports.
  static func open(on group: MultiThreadedEventLoopGroup) async throws -> Link {
    let link = Link()
    for end in End.allCases {
      let socket = try await DatagramBootstrap(group: group)
        .channelInitializer { channel in
          channel.pipeline.addHandler(Socket(link: link, end: end))
        }
        .bind(host: "127.0.0.1", port: 0).get()
      link.state.withLock { $0.sockets[end] = socket }
    }
    return link
  }

  /// Returns the address that the laptop at this end uses for the other.
  func address(at end: End) throws -> String {
    guard let port = state.withLock({ $0.sockets[end]?.localAddress?.port }) else {
      throw Failure("a relay between two nodes has no port")
    }
    return "127.0.0.1:\(port)"
  }

  func cut() { state.withLock { $0.isCut = true } }

  func repair() { state.withLock { $0.isCut = false } }

  /// Datagrams dropped because the link was down.
  var heldBack: Int { state.withLock { $0.heldBack } }

  private func pass(_ datagram: AddressedEnvelope<ByteBuffer>, from end: End) {
    let way = state.withLock { state -> (any Channel, SocketAddress)? in
      let sender = state.laptops[end] ?? datagram.remoteAddress
      state.laptops[end] = sender
      guard sender == datagram.remoteAddress else { return nil }
      guard !state.isCut else {
        state.heldBack += 1
        return nil
      }
      // Before the other laptop is up the datagram is dropped, as on a real network.
      guard let socket = state.sockets[end.other], let laptop = state.laptops[end.other] else {
        return nil
      }
      return (socket, laptop)
    }
    guard let (socket, laptop) = way else { return }
    socket.writeAndFlush(
      AddressedEnvelope(remoteAddress: laptop, data: datagram.data), promise: nil)
  }

  private final class Socket: ChannelInboundHandler, Sendable {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let link: Link
    private let end: End

    init(link: Link, end: End) {
      self.link = link
      self.end = end
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      link.pass(unwrapInboundIn(data), from: end)
    }

    /// A datagram that could not be read or sent is lost, which the nodes tolerate.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
  }
}
