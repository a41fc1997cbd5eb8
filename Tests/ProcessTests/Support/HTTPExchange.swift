import Foundation
import MusterTestKit

/// One request over a separate connection, and its response, without an HTTP client that would
/// correct them.
enum HTTPExchange {
  struct Answer {
    let status: Int
    let body: String
  }

  /// Sends a GET, or with a body a POST.
  static func request(
    _ port: UInt16, _ path: String, body: String? = nil, headers: [String: String] = [:]
  ) throws -> Answer {
    try request(port, path, bytes: body.map { Array($0.utf8) }, headers: headers)
  }

  /// The same with a body of any bytes and any method.
  static func request(
    _ port: UInt16, _ path: String, method: String? = nil, bytes: [UInt8]?,
    headers: [String: String] = [:]
  ) throws -> Answer {
    var to = sockaddr_in()
    to.sin_family = sa_family_t(AF_INET)
    to.sin_port = port.bigEndian
    to.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return try request(
      to, AF_INET, path, bytes, ["Host": "127.0.0.1:\(port)"].merging(headers) { $1 }, method)
  }

  /// The same over a Unix socket, whose path has at most a hundred bytes.
  static func request(
    socket: URL, _ path: String, body: String? = nil, headers: [String: String] = [:]
  ) throws -> Answer {
    var to = sockaddr_un()
    to.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &to.sun_path) { $0.copyBytes(from: socket.path.utf8.prefix(100)) }
    return try request(
      to, AF_UNIX, path, body.map { Array($0.utf8) }, ["Host": "localhost"].merging(headers) { $1 })
  }

  private static func request(
    _ to: some Any, _ family: Int32, _ path: String, _ body: [UInt8]?,
    _ headers: [String: String], _ stated: String? = nil
  ) throws -> Answer {
    var all = ["Connection": "close"]
    if let body { all["Content-Length"] = "\(body.count)" }
    all.merge(headers) { $1 }
    let lines = all.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }.joined()
    let method = stated ?? (body == nil ? "GET" : "POST")
    let head = Array("\(method) \(path) HTTP/1.1\r\n\(lines)\r\n".utf8)
    let text = try exchange(head + (body ?? []), to, family)
    let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
    let words = parts[0].prefix { $0 != "\r\n" }.split(separator: " ")
    guard words.count > 1, let status = Int(words[1]) else {
      throw Failed("no answer to \(path): \(text)")
    }
    return Answer(status: status, body: parts.count > 1 ? String(parts[1]) : "")
  }

  private static func exchange(
    _ bytes: [UInt8], _ to: some Any, _ family: Int32
  ) throws -> String {
    #if os(Linux)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    let descriptor = socket(family, kind, 0)
    guard descriptor >= 0 else { throw Failed("socket: \(String(cString: strerror(errno)))") }
    defer { close(descriptor) }
    var patience = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let isConnected = withUnsafePointer(to: to) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout.size(ofValue: to))) == 0
      }
    }
    guard isConnected else { throw Failed("connect: \(String(cString: strerror(errno)))") }
    guard send(descriptor, bytes, bytes.count, 0) == bytes.count else {
      throw Failed("send: \(String(cString: strerror(errno)))")
    }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return String(decoding: answer, as: UTF8.self) }
      answer += buffer.prefix(count)
    }
  }
}
