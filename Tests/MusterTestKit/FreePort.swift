import Foundation
import Synchronization

/// Fixed ports for processes that need a known port and keep it across restarts.
package enum FreePort {
  /// Below the ephemeral ports of Linux (32768 and up), so that no outgoing connection can take a
  /// port while its process does not listen.
  private static let range: Range<UInt16> = 20_000..<32_000
  /// Tests that run concurrently in several processes start at different ports.
  private static let taken = Mutex(UInt16(getpid() % pid_t(range.count)))

  /// Returns a free port that this process has not received before.
  package static func next() throws -> UInt16 {
    for _ in range {
      let port = taken.withLock { last in
        last = (last + 1) % UInt16(range.count)
        return range.lowerBound + last
      }
      if isFree(port, SOCK_STREAM), isFree(port, SOCK_DGRAM) { return port }
    }
    throw Failed("no port of \(range) is free")
  }

  #if os(Linux)
    private static func isFree(_ port: UInt16, _ kind: __socket_type) -> Bool {
      isFree(port, kind: Int32(kind.rawValue))
    }
  #else
    private static func isFree(_ port: UInt16, _ kind: Int32) -> Bool {
      isFree(port, kind: kind)
    }
  #endif

  private static func isFree(_ port: UInt16, kind: Int32) -> Bool {
    let descriptor = socket(AF_INET, kind, 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var own = LoopbackSocket.address(port: port)
    return withUnsafePointer(to: &own) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}
