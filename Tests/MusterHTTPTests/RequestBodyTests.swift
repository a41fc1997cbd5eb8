import Foundation
import MusterModel
import NIOCore
import Testing

@testable import MusterHTTP

@Suite struct `The body of a request` {
  private static let report = Array(#"{"title":"Bridge down"}"#.utf8)

  /// 100,000 zeros in gzip.
  private static let zeros =
    Data(
      base64Encoded: "H4sIAAAAAAAC/+3BMQEAAADCoPVPbQ0PoAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAIBXA32VEdSghgEA") ?? Data()

  private static func head(
    _ path: String, _ headers: [String: String], type: String = "application/json"
  ) -> [UInt8] {
    let all = headers.merging(["Host": "127.0.0.1", "Content-Type": type]) { first, _ in first }
    let lines = all.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }
    return Array("POST \(path) HTTP/1.1\r\n\(lines.joined())\r\n".utf8)
  }

  /// Sends a request on a connection of its own, and returns all of the response.
  private static func answer(
    to bytes: [UInt8], _ web: WebStage
  ) async throws -> String {
    let caller = try await Caller.call(port: web.port, tls: nil)
    await caller.send(bytes)
    try await eventually { caller.received.hasEnded }
    return caller.received.text
  }

  @Test func `a client that waits for it gets 100 Continue before its body`() async throws {
    try await WebStage.run { web in
      let caller = try await Caller.call(port: web.port, tls: nil)
      await caller.send(
        Self.head(
          "/api/v1/reports",
          [
            "Expect": "100-continue", "Content-Length": "\(Self.report.count)",
            "Connection": "close",
          ]))
      try await eventually { caller.received.text == "HTTP/1.1 100 Continue\r\n\r\n" }
      await caller.send(Self.report)
      try await eventually { caller.received.hasEnded }
      #expect(caller.received.text.contains("HTTP/1.1 201 Created"))
    }
  }

  @Test func `a client that is refused sends no body, and its connection ends`() async throws {
    try await WebStage.run { web in
      for (path, status) in [("/api/v1/nothing", 404), ("/api/v1/status", 405)] {
        let head = Self.head(path, ["Expect": "100-continue", "Content-Length": "5000000"])
        let text = try await Self.answer(to: head, web)
        #expect(text.hasPrefix("HTTP/1.1 \(status)") && !text.contains("100 Continue"), "\(text)")
      }
    }
  }

  @Test func `a body in gzip is read within the same bound, in one member or several`() async throws
  {
    try await WebStage.run { web in
      func answer(_ body: [UInt8], _ coding: String) async throws -> String {
        let headers = [
          "Content-Encoding": coding, "Content-Length": "\(body.count)", "Connection": "close",
        ]
        return try await Self.answer(to: Self.head("/api/v1/reports", headers) + body, web)
      }
      let packed = PMTilesBuilder.gzip(Data(Self.report))
      let halves = [Self.report.prefix(9), Self.report.dropFirst(9)]
        .map { Array(PMTilesBuilder.gzip(Data($0))) }
      for (body, coding) in [
        (Array(packed), "gzip"), (Array(packed), "X-GZIP"), (halves[0] + halves[1], "gzip"),
        (Self.report, "identity"),
      ] {
        let text = try await answer(body, coding)
        #expect(text.hasPrefix("HTTP/1.1 201"), "\(coding): \(text)")
      }
      let bomb = [[UInt8]](repeating: Array(Self.zeros), count: 500).flatMap(\.self)
      #expect((10_000..<100_000).contains(bomb.count))
      #expect(try await answer(bomb, "gzip").hasPrefix("HTTP/1.1 413"))
      for damaged in [Array(packed.dropLast(9)), Self.report, []] {
        #expect(try await answer(damaged, "gzip").hasPrefix("HTTP/1.1 400"))
      }
      let other = try await answer(Array(packed), "br")
      #expect(other.hasPrefix("HTTP/1.1 415") && other.contains("\r\nAccept-Encoding: gzip\r\n"))
    }
  }

  @Test func `a phone may send gzip, and damaged gzip is refused`() async throws {
    try await WebStage.run { web in
      func answer(_ body: [UInt8]) async throws -> String {
        let headers = [
          "Content-Encoding": "gzip", "Content-Length": "\(body.count)", "Connection": "close",
        ]
        return try await Self.answer(to: Self.head("/owntracks?u=a&d=b", headers) + body, web)
      }
      let fix = #"{"_type":"location","tid":"ab","lat":46.5,"lon":7.5,"tst":1700000000}"#
      let packed = Array(PMTilesBuilder.gzip(Data(fix.utf8)))
      let (whole, damaged) = (
        try await answer(packed), try await answer(Array(packed.dropLast(9)))
      )
      #expect(whole.hasPrefix("HTTP/1.1 200") && damaged.hasPrefix("HTTP/1.1 400"))
    }
  }

  @Test func `the methods that are allowed include HEAD where GET is`() async throws {
    try await WebStage.run { web in
      for (path, allowed) in [
        ("/api/v1/status", "GET, HEAD"), ("/dashboard/js/app.js", "GET, HEAD"),
        ("/api/v1/reports", "GET, HEAD, POST"), ("/api/v1/stream", "GET"), ("/owntracks", "POST"),
      ] {
        let answer = try await web.client.ask("PUT", path)
        #expect(answer.status == 405 && answer.headers["allow"] == allowed, "\(path): \(answer)")
      }
    }
  }

  @Test(arguments: [("::1", "[::1]:80"), ("[::1]", "[::1]:80"), ("192.0.2.1", "192.0.2.1:80")])
  func `an IPv6 address is printed in brackets`(host: String, text: String) {
    #expect(Endpoint.authority(host, 80) == text)
  }
}
