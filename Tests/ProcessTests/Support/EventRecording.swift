import Foundation
import MusterTestKit
import Synchronization

/// What an event stream of a node has sent so far.
final class EventRecording: Sendable {
  private let received = Mutex<[UInt8]>([])
  private let descriptor: Int32

  /// Opens the stream of some data sets.
  init(of datasets: String, on port: UInt16, token: String) throws {
    #if os(Linux)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    descriptor = socket(AF_INET, kind, 0)
    var to = sockaddr_in()
    to.sin_family = sa_family_t(AF_INET)
    to.sin_port = port.bigEndian
    to.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let isConnected = withUnsafePointer(to: to) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout.size(ofValue: to))) == 0
      }
    }
    let request = Array(
      ("GET /api/v1/stream?datasets=\(datasets) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
        + "Authorization: Bearer \(token)\r\n\r\n").utf8)
    guard isConnected, send(descriptor, request, request.count, 0) == request.count else {
      throw Failed("the stream did not open: \(String(cString: strerror(errno)))")
    }
    Thread.detachNewThread { [self] in
      var buffer = [UInt8](repeating: 0, count: 4096)
      while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 {
        let part = buffer.prefix(count)
        received.withLock { $0 += part }
      }
      close(descriptor)
    }
  }

  /// All of it, with the head of the response.
  var text: String { String(decoding: received.withLock { $0 }, as: UTF8.self) }

  /// Closes the stream.
  func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
