import Foundation
import Synchronization
import TestSupport

/// Ports for what has to know its own beforehand, and keep it while it is away for a while.
enum FreePort {
  /// Below those that Linux gives to whoever does not ask for one (32768 and up): while nobody
  /// listens, no connection that begins elsewhere can take it.
  private static let range: Range<UInt16> = 20_000..<32_000
  /// Tests that run beside each other in several processes begin at different places.
  private static let taken = Mutex(UInt16(getpid() % pid_t(range.count)))

  /// One that nobody has just now, and that this process was not given before.
  static func next() throws -> UInt16 {
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
