internal import Foundation

/// A datagram socket of the system's, by its path, or by its name where that begins with `@`.
struct NotifySocket: Sendable {
  private let address: [UInt8]

  /// Nil for what is no address of such a socket.
  init?(address text: String) {
    var bytes = Array(text.utf8)
    guard let first = bytes.first, bytes.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path),
      first == UInt8(ascii: "/") || first == UInt8(ascii: "@")
    else { return nil }
    // Linux knows a socket without a path by a zero in front.
    if first == UInt8(ascii: "@") { bytes[0] = 0 }
    address = bytes
  }

  /// Why it could not be sent; nil where it was. A socket each time: it is seldom.
  func send(_ words: String) -> String? {
    let descriptor = socket(AF_UNIX, Self.datagrams, 0)
    guard descriptor >= 0 else { return String(cString: strerror(errno)) }
    defer { close(descriptor) }
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: address) }
    let length = MemoryLayout.offset(of: \sockaddr_un.sun_path).map { $0 + address.count } ?? 0
    let bytes = Array(words.utf8)
    let sent = withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, bytes, bytes.count, 0, $0, socklen_t(length))
      }
    }
    return sent == bytes.count ? nil : String(cString: strerror(errno))
  }

  #if canImport(Glibc)
    private static let datagrams = Int32(SOCK_DGRAM.rawValue)
  #else
    private static let datagrams = SOCK_DGRAM
  #endif
}
