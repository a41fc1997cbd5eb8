@testable import MusterHTTP
import Testing

/// The first bytes of a connection, which anyone can send.
struct ClientHelloTests {
  private func hello(_ protocols: [String]) -> [UInt8] {
    func vector(_ length: Int, _ bytes: [UInt8]) -> [UInt8] {
      (0..<length).map { UInt8(truncatingIfNeeded: bytes.count >> (8 * (length - 1 - $0))) } + bytes
    }
    let list = protocols.flatMap { vector(1, Array($0.utf8)) }
    let extensions = [0, 0] + vector(2, [1, 2, 3]) + [0, 16] + vector(2, vector(2, list))
    let body =
      [3, 3] + [UInt8](repeating: 7, count: 32) + vector(1, [UInt8](repeating: 1, count: 32))
      + vector(2, [0x13, 1]) + vector(1, [0]) + vector(2, extensions)
    return [22, 3, 1] + vector(2, [1] + vector(3, body))
  }

  @Test(arguments: [([], false), (["http/1.1"], false), (["h2", "http/1.1"], true)])
  func `a client is a browser if it offers HTTP2`(protocols: [String], isBrowser: Bool) {
    guard case .complete(let read) = ClientHello.read(hello(protocols)) else {
      Issue.record("it is complete")
      return
    }
    #expect(read.protocols == protocols.map { Array($0.utf8) })
    #expect(read.isOfBrowser == isBrowser)
  }

  @Test func `each beginning is incomplete`() {
    let bytes = hello(["h2"])
    for count in 0..<bytes.count {
      guard case .incomplete = ClientHello.read(bytes.prefix(count)) else {
        Issue.record("\(count) bytes")
        continue
      }
    }
  }

  @Test func `damaged bytes never trap`() {
    let bytes = hello(["h2", "http/1.1"])
    for index in bytes.indices {
      for value in [UInt8(0), 1, 0x7F, 0xFF] {
        var damaged = bytes
        damaged[index] = value
        _ = ClientHello.read(damaged)
      }
    }
    guard case .invalid = ClientHello.read(Array("GET / HTTP/1.1\r\n".utf8)) else {
      Issue.record("a request without TLS is not a client hello")
      return
    }
  }
}
