import Foundation
import Logging
import MusterModel
import MusterTransport

/// A transport on a free loopback port, closed when the story is over.
func withTransport<Result>(
  listen: String = "127.0.0.1:0", multicast: Bool = false,
  group: MulticastGroup = .announce,
  _ story: (UDPTransport) async throws -> Result
) async throws -> Result {
  let transport = try await UDPTransport.bind(
    configuration: UDPConfiguration(listen: listen, multicast: multicast, group: group),
    logger: quiet)
  do {
    let result = try await story(transport)
    await transport.close()
    return result
  } catch {
    await transport.close()
    throw error
  }
}

/// Whether this machine has the address to listen on.
func canListen(_ listen: String) async throws -> Bool {
  do {
    return try await withTransport(listen: listen) { _ in true }
  } catch TransportError.addressNotAvailable, TransportError.socketRefused {
    return false
  }
}

let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// What the system calls its loopback interface: `lo` on Linux, `lo0` on macOS.
let loopback = LinkID(index: max(if_nametoindex("lo"), if_nametoindex("lo0")))

extension UDPTransport {
  var endpoint: Endpoint { localEndpoints()[0] }

  /// Waits for this many datagrams and returns them in order of arrival.
  func receive(_ count: Int) async -> [ReceivedDatagram] {
    var received: [ReceivedDatagram] = []
    for await batch in datagrams {
      received += batch
      if received.count >= count { break }
    }
    return received
  }

  /// Waits until this many datagrams have left or been dropped. Being counted comes just after
  /// leaving, so the peer may be faster.
  func countersOnceSent(_ count: UInt64) async -> TransportCounters {
    while counters.sent + counters.droppedInAll < count { await Task.yield() }
    return counters
  }
}
