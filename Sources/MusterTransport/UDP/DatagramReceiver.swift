internal import MusterModel
internal import NIOCore

/// The last handler of a socket's pipeline: turns the datagrams of one read cycle into one batch.
///
/// No input can stop it. Oversized datagrams and errors are dropped and counted.
final class DatagramReceiver: ChannelInboundHandler {
  typealias InboundIn = AddressedEnvelope<ByteBuffer>

  private let viaMulticast: Bool
  private let inbox: Inbox
  private let ledger: CounterLedger
  private let ownEndpoints: NIOLoopBoundBox<Set<Endpoint>>
  private var batch: [ReceivedDatagram] = []
  private var tally = TransportCounters()

  init(
    viaMulticast: Bool, inbox: Inbox, ledger: CounterLedger,
    ownEndpoints: NIOLoopBoundBox<Set<Endpoint>>
  ) {
    self.viaMulticast = viaMulticast
    self.inbox = inbox
    self.ledger = ledger
    self.ownEndpoints = ownEndpoints
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let envelope = unwrapInboundIn(data)
    guard let from = Endpoint(envelope.remoteAddress) else { return }
    if envelope.data.readableBytes > Limits.largestDatagramBytes {
      tally.drop(.oversize)
    } else if viaMulticast, ownEndpoints.value.contains(from) {
      tally.drop(.ownEcho)
    } else {
      batch.append(
        ReceivedDatagram(
          bytes: Array(envelope.data.readableBytesView), from: from, viaMulticast: viaMulticast,
          link: Self.link(of: envelope)))
    }
  }

  private static func link(of envelope: InboundIn) -> LinkID {
    envelope.metadata?.packetInfo.flatMap { UInt32(exactly: $0.interfaceIndex) }
      .map(LinkID.init(index:)) ?? .unknown
  }

  /// Counts before it delivers, so that the reader of a datagram finds it counted.
  func channelReadComplete(context: ChannelHandlerContext) {
    for datagram in batch { tally.countReceived(bytes: datagram.bytes.count) }
    ledger.add(tally)
    ledger.drop(.readerBehind, count: inbox.deliver(batch))
    batch = []
    tally = TransportCounters()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    tally.socketErrors &+= 1
    ledger.add(tally)
    tally = TransportCounters()
  }
}
