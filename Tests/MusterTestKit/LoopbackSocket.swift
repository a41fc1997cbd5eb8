import Foundation

/// A plain UDP socket on loopback, for datagrams that a node would not send.
package final class LoopbackSocket {
  private let descriptor: Int32
  package let port: UInt16

  package init() throws {
    #if os(Linux)
      let kind = Int32(SOCK_DGRAM.rawValue)
    #else
      let kind = SOCK_DGRAM
    #endif
    let descriptor = socket(AF_INET, kind, 0)
    guard descriptor >= 0 else { throw Failed("socket: \(String(cString: strerror(errno)))") }
    var own = Self.address(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &own) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
      }
    }
    guard bound else {
      close(descriptor)
      throw Failed("bind: \(String(cString: strerror(errno)))")
    }
    self.descriptor = descriptor
    port = UInt16(bigEndian: own.sin_port)
  }

  deinit { close(descriptor) }

  /// Returns false if the system has no buffer space.
  package func send(_ bytes: [UInt8], to port: UInt16) -> Bool {
    var to = Self.address(port: port)
    return withUnsafePointer(to: &to) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        sendto(
          descriptor, bytes, bytes.count, 0, address,
          socklen_t(MemoryLayout<sockaddr_in>.size)) == bytes.count
      }
    }
  }

  /// Returns the datagrams that have arrived and were not read.
  package func received() -> [[UInt8]] {
    var datagrams: [[UInt8]] = []
    while true {
      var buffer = [UInt8](repeating: 0, count: 2048)
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      guard count >= 0 else { return datagrams }
      datagrams.append(Array(buffer.prefix(count)))
    }
  }

  static func address(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}
