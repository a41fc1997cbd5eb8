import Foundation
import Logging
import MusterModel
import NIOCore
import NIOSSL
import Testing

@testable import MusterTransport

/// Row A7 of the faults, in the direction from the field: a server that is not the command post
/// gets nothing, and the user gets the reason.
struct UplinkClientTests {
  private static func http(_ head: String, _ body: [UInt8] = []) -> [UInt8] {
    Array("HTTP/1.1 \(head)\r\n".utf8) + body
  }

  private static let accepted = http(
    "200 OK\r\ncontent-type: application/octet-stream\r\ncontent-length: 100000\r\n")

  /// Connects to a server until the uplink is down for a reason. Returns the message for the user.
  private func connected(
    tls: TLSConfiguration?, named: [[UInt8]], answer: [UInt8]? = nil, closes: Bool = false
  ) async throws -> UplinkSummary.Post {
    let trap = try await UplinkTrap.set(tls: tls, answer: answer, closes: closes)
    let uplinks = UplinkSwitch(targets: [try UplinkTarget("https://127.0.0.1:\(trap.port)")])
    uplinks.take(certificates: named)
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let client = UplinkClient(proxy: nil, uplinks: uplinks, logger: logger, random: { 7 })
    let post = try await withThrowingTaskGroup(of: UplinkSummary.Post?.self) { group in
      group.addTask {
        try await client.run()
        return nil
      }
      group.addTask {
        let deadline = ContinuousClock.now + .seconds(900)
        while ContinuousClock.now < deadline {
          try await Task.sleep(for: .milliseconds(20))
          guard let post = uplinks.summary?.posts.first else { continue }
          if post.state != .connecting { return post }
        }
        return nil
      }
      let first = try await group.next() ?? nil
      group.cancelAll()
      return try #require(first)
    }
    uplinks.close()
    try await trap.close()
    return post
  }

  @Test func `a server that may be an impostor differs from one that is out of reach`()
    throws
  {
    let target = try UplinkTarget("https://post.example:7443")
    let stranger = UplinkFailureText(UplinkFault.stranger, target: target, proxy: nil)
    #expect(stranger.isSuspect && stranger.advice.contains("check the address"))
    let absent = UplinkFailureText(
      IOError(errnoCode: ECONNREFUSED, reason: "connect"), target: target, proxy: nil)
    #expect(!absent.isSuspect)
    #expect(!UplinkFailureText(UplinkFault.silent, target: target, proxy: nil).isSuspect)
  }

  // MARK: Certificates

  @Test func `another operation's certificate is not taken`() async throws {
    let (ours, theirs) = (try Shown(), try Shown())
    let post = try await connected(tls: theirs.tls(), named: [ours.certificate])
    #expect(post.state == .down)
    #expect(post.lastError.contains("certificate"), "\(post)")
  }

  @Test func `nor another of the same key and name, nor one of another key and the same name`()
    async throws
  {
    let ours = try Shown()
    for shown in [try Shown(key: ours.key), try Shown()] {
      let post = try await connected(tls: shown.tls(), named: [ours.certificate])
      #expect(post.state == .down)
      #expect(post.lastError.contains("certificate"), "\(post)")
    }
  }

  @Test(arguments: [1970...2020, 2040...9999])
  func `nor one whose time has passed, or is to come, though it was named`(
    years: ClosedRange<Int>
  ) async throws {
    let ours = try Shown(years: years)
    let post = try await connected(tls: ours.tls(), named: [ours.certificate])
    #expect(post.state == .down)
    #expect(post.lastError.contains("certificate"), "\(post)")
  }

  @Test func `an authority that was named makes nothing of what it signs acceptable`() async throws
  {
    let authority = try Shown(subject: "authority", isAuthority: true)
    let signed = try Shown(signer: authority.key, issuer: "authority")
    let post = try await connected(
      tls: signed.tls(behind: [authority]), named: [authority.certificate])
    #expect(post.state == .noCertificate)
    let other = try Shown()
    let again = try await connected(
      tls: signed.tls(behind: [authority]), named: [authority.certificate, other.certificate])
    #expect(again.lastError.contains("certificate"), "\(again)")
  }

  @Test func `without a named certificate no connection is made`() async throws {
    let post = try await connected(tls: Shown().tls(), named: [])
    #expect(post.state == .noCertificate)
    #expect(!post.advice.isEmpty)
  }

  @Test(arguments: [TLSVersion.tlsv1, .tlsv11, .tlsv12])
  func `an older TLS is not spoken`(most: TLSVersion) async throws {
    let ours = try Shown()
    let post = try await connected(tls: ours.tls(most: most), named: [ours.certificate])
    #expect(post.state == .down)
    #expect(post.lastError.contains("TLS"), "\(post)")
  }

  // MARK: Rubbish

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", "SSH-2.0-OpenSSH_9.6\r\n",
    "\u{0}\u{1}\u{2}\u{3}",
  ])
  func `a server without TLS is distinguished from a command post`(answer: String) async throws {
    let ours = try Shown()
    let post = try await connected(
      tls: nil, named: [ours.certificate], answer: Array(answer.utf8), closes: true)
    #expect(post.state == .down)
    #expect(!post.lastError.isEmpty)
  }

  @Test(arguments: [
    (http("404 Not Found\r\ncontent-length: 0\r\n\r\n"), "status 404"),
    (http("503 Service Unavailable\r\ncontent-length: 0\r\n\r\n"), "status 503"),
    (http("302 Found\r\nlocation: https://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n"), "302"),
    (http("200 OK\r\ncontent-type: text/html\r\ncontent-length: 2\r\n\r\nhi"), "status 200"),
    (accepted + Array("\r\n<html>Sign in to the hotel's Wi-Fi".utf8), "is not a command post"),
    (accepted + [13, 10, 0xFF, 0xFF], "is not a command post"),
  ])
  func `an answer that no command post gives ends it`(answer: [UInt8], word: String) async throws {
    let ours = try Shown()
    let post = try await connected(tls: ours.tls(), named: [ours.certificate], answer: answer)
    #expect(post.state == .down)
    #expect(post.lastError.contains(word), "\(post)")
  }

  @Test func `who answers nothing, or proves nothing, is given up after a while`() async throws {
    let ours = try Shown()
    async let silent = connected(tls: ours.tls(), named: [ours.certificate])
    async let stranger = connected(
      tls: ours.tls(), named: [ours.certificate], answer: Self.accepted + [13, 10, 0, 0])
    let (first, second) = (try await silent, try await stranger)
    #expect(first.state == .down)
    #expect(second.lastError.contains("is not a command post"))
  }
}
