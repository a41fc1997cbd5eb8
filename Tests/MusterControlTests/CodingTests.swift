import MusterModel
import MusterNode
import SwiftProtobuf
import Testing

@testable import MusterControl

@Suite struct `What is said over the socket` {
  @Test(arguments: Specimens.commands)
  func `a command arrives as it was given`(command: Command) throws {
    let bytes = Request.command(command).encoded()
    let found = try Request(decoding: bytes)
    #expect(found == .command(command))
  }

  @Test(arguments: [nil, 0, 7, Int64.max])
  func `a wish to follow arrives with the place from where`(after: Int64?) throws {
    let bytes = Request.follow(after: after).encoded()
    let found = try Request(decoding: bytes)
    #expect(found == .follow(after: after))
  }

  @Test(arguments: Specimens.replies)
  func `a reply arrives as it was given`(reply: Reply) throws {
    let found = try Response(decoding: Response(reply: reply).encoded()).reply
    #expect(found == reply)
  }

  @Test func `every kind of command and of reply is among the specimens`() {
    #expect(Set(Specimens.commands.map(kind)).count == 39)
    #expect(Set(Specimens.replies.map(kind)).count == 20)
  }

  private func kind(_ value: some Any) -> String {
    String("\(value)".prefix { $0.isLetter })
  }

  @Test func `nothing, and a message of a later version, are refused`() {
    #expect(throws: ControlFault.self) { try Request(decoding: []) }
    #expect(throws: ControlFault.self) { try Response(decoding: []) }
    // Field 100, of length 0.
    #expect(throws: ControlFault.self) { try Request(decoding: [0xA2, 0x06, 0x00]) }
  }

  @Test(arguments: [
    WireRequest.OneOf_Kind.claimSafety(.with { $0.claim = 9 }),
    .claimSafety(.with { $0.claim = 256 + 1 }),
    .setPosition(WireFix()),
    .setPosition(.with { $0.position = .with { $0.latitudeE7 = 900_000_001 } }),
    .setPosition(.with { $0.position = .with { $0.longitudeE7 = .min } }),
    .addReport(.with { $0.category = 200 }),
    .addReport(.with { $0.severity = 256 }),
    .editReport(.with { $0.status = 0 }),
    .addFence(.with { $0.kind = 1 }),
    .addFence(
      .with {
        $0.kind = 1
        $0.geometry = .init(Specimens.circle.encoded + [0])
      }),
    .invite(.with { $0.role = 0 }),
    .admit(.with { $0.role = 5 }),
  ])
  func `a value out of range is refused`(kind: WireRequest.OneOf_Kind) {
    let bytes = WireRequest.with { $0.kind = kind }.bytes
    #expect(throws: ControlFault.self) { try Request(decoding: bytes) }
  }

  @Test(arguments: [
    WireResponse.OneOf_Kind.created(.init([1, 2, 3])),
    .status(WireStatus()),
    .verification(WireVerification()),
    .users(.with { $0.users = [WireUser()] }),
    .devices(.with { $0.devices = [WireDevice()] }),
    .reports(.with { $0.reports = [WireReport()] }),
    .fences(.with { $0.fences = [WireFence()] }),
    .events(.with { $0.events = [WireEvent()] }),
    .invitation(WireInvitation()),
  ])
  func `an answer that lacks what it must have is refused`(kind: WireResponse.OneOf_Kind) {
    let bytes = WireResponse.with { $0.kind = kind }.bytes
    #expect(throws: ControlFault.self) { try Response(decoding: bytes) }
  }

  @Test func `damaged bytes are refused or read as something else, and never trap`() {
    let messages =
      Specimens.commands.map { Request.command($0).encoded() }
      + Specimens.replies.map { Response(reply: $0).encoded() }
    var (refused, read) = (0, 0)
    func attempt(_ bytes: [UInt8]) {
      do throws(ControlFault) {
        _ = try Request(decoding: bytes)
        read += 1
      } catch { refused += 1 }
      do throws(ControlFault) {
        _ = try Response(decoding: bytes)
        read += 1
      } catch { refused += 1 }
    }
    for message in messages {
      for index in message.indices {
        attempt(Array(message[..<index]))
        for mask: UInt8 in [0x01, 0x08, 0x80, 0xFF] {
          var damaged = message
          damaged[index] ^= mask
          attempt(damaged)
        }
      }
    }
    #expect(refused > 1000)
    #expect(read > 100)
  }
}
