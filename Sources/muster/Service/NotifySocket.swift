internal import Foundation

/// A Unix datagram socket, by its path, or by its abstract name, which begins with `@`.
struct NotifySocket: Sendable {
  private let address: [UInt8]

  /// Nil for an invalid address.
  init?(address text: String) {
    var bytes = Array(text.utf8)
    guard let first = bytes.first, bytes.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path),
      first == UInt8(ascii: "/") || first == UInt8(ascii: "@")
    else { return nil }
    // On Linux, an abstract name begins with a zero byte.
    if first == UInt8(ascii: "@") { bytes[0] = 0 }
    address = bytes
  }

  /// Returns why sending failed; nil if it did not. Opens a socket each time, as it is rare.
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
