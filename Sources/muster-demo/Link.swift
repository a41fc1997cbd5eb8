internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// The only way between two laptops: a pair of UDP sockets on loopback.
///
///     Anna ◀──▶ [socket at A's end]   [socket at B's end] ◀──▶ Cleo
///                    what arrives here leaves there, and the other way round
///
/// Each node is told the address of its own end only (`--peer`), and hears the other from there, so
/// that neither ever learns where the other really is. While the link is cut nothing passes, as in
/// a valley without radio: the datagrams are counted and dropped.
final class Link: Sendable {
  enum End: CaseIterable, Sendable {
    case first, second

    var other: End { self == .first ? .second : .first }
  }

  private struct State {
    var sockets: [End: any Channel] = [:]
    /// Where the laptops are, from the first datagram of each. A node keeps its port.
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

  /// What the laptop at this end takes for the other's address.
  func address(at end: End) throws -> String {
    guard let port = state.withLock({ $0.sockets[end]?.localAddress?.port }) else {
      throw Failure("a relay between two nodes has no port")
    }
    return "127.0.0.1:\(port)"
  }

  func cut() { state.withLock { $0.isCut = true } }

  func mend() { state.withLock { $0.isCut = false } }

  /// Datagrams that did not pass because the link was cut.
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
      // Before the other laptop is up there is nobody to pass it to, as on a real network.
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

    /// A datagram that could not be read or sent is lost, which is what the nodes are made for.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
  }
}
