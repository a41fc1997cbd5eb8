import Foundation

/// The IPv4 sockets that this process holds.
package enum OpenSockets {
  /// Whether there is a socket on a port, and each is closed in programs that this process starts.
  package static func areClosedInChildren(onPort port: UInt16) -> Bool {
    let flags = (0..<4096).filter { Self.port(of: $0) == port }.map { fcntl($0, F_GETFD) }
    return !flags.isEmpty && flags.allSatisfy { $0 & FD_CLOEXEC != 0 }
  }

  private static func port(of descriptor: Int32) -> UInt16? {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    guard result == 0, address.sin_family == AF_INET else { return nil }
    return UInt16(bigEndian: address.sin_port)
  }
}
