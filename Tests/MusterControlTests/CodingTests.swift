import MusterModel
import MusterNode
import Testing

@testable import MusterControl

@Suite struct `Messages on the control socket` {
  @Test(arguments: Specimens.commands)
  func `a command arrives unchanged`(command: Command) throws {
    let found = try ControlMessage.request(ControlMessage.encode(.command(command)))
    #expect(found == .command(command))
  }

  @Test(arguments: [nil, 0, 7, Int64.max])
  func `a follow request arrives with its cursor`(after: Int64?) throws {
    let found = try ControlMessage.request(ControlMessage.encode(.follow(after: after)))
    #expect(found == .follow(after: after))
  }

  @Test(arguments: Specimens.replies)
  func `a reply arrives unchanged, on one line`(reply: Reply) throws {
    let bytes = ControlMessage.encode(reply)
    #expect(try ControlMessage.reply(bytes) == reply)
    #expect(!bytes.contains(UInt8(ascii: "\n")))
  }

  @Test func `every kind of command and of reply is among the specimens`() {
    #expect(Set(Specimens.commands.map(kind)).count == 81)
    #expect(Set(Specimens.replies.map(kind)).count == 40)
  }

  private func kind(_ value: some Any) -> String {
    String("\(value)".prefix { $0.isLetter })
  }

  @Test func `an id is hexadecimal, and bytes are Base64`() throws {
    let created = ControlMessage.encode(.created(Specimens.row))
    #expect(
      String(decoding: created, as: UTF8.self)
        == #"{"created":{"_0":"00000000000000010000000000000002"}}"#)
    let piece = ControlMessage.encode(.command(.bundlePiece(at: [0xFB, 0xFF, 0xBF])))
    #expect(
      String(decoding: piece, as: UTF8.self)
        == #"{"command":{"_0":{"bundlePiece":{"at":"+/+/"}}}}"#)
  }

  @Test(arguments: [
    "", "{}", "null", "[]", "\u{7F}\u{7F}", "{\"command\":{}}", "{\"command\":{\"_0\":{}}}",
    // A command and a member that this version does not know.
    Self.command(#"{"evacuateAll":{}}"#),
    Self.command(#"{"report":{"id":"0a1b"}}"#),
    Self.command(#"{"setFenceActive":{"_0":"0a1b"}}"#),
    Self.command(#"{"setFenceActive":{"_0":"0a1b","_1":1}}"#),
  ])
  func `an unknown command is rejected as one of another version`(json: String) {
    #expect {
      try ControlMessage.request(json.utf8)
    } throws: {
      "\($0)".contains("another version") && !"\($0)".contains("\n")
    }
  }

  @Test func `a missing member is named`() {
    let json = Self.command(#"{"addReport":{"_0":{"toEvacuate":true}}}"#)
    #expect {
      try ControlMessage.request(json.utf8)
    } throws: {
      "\($0)".hasSuffix("another version: command.addReport.title is missing")
    }
  }

  private static func command(_ json: String) -> String { "{\"command\":{\"_0\":\(json)}}" }

  private static func geometry(_ bytes: [UInt8]) -> String {
    let message = ControlMessage.encode(.grant(ByteString(bytes), callsign: ""))
    let text = String(decoding: message, as: UTF8.self)
    let start = text.index(
      text.firstRange(of: "\"_0\":")?.upperBound ?? text.startIndex, offsetBy: 1)
    let base64 = text[start...].prefix { $0 != "\"" }
    return Self.command(#"{"editFence":{"_0":"0a1b","_1":{"geometry":"\#(base64)"}}}"#)
  }

  @Test(arguments: [
    Self.command(#"{"claimSafety":{"_0":9,"note":""}}"#),
    Self.command(#"{"claimSafety":{"_0":257,"note":""}}"#),
    Self.command(#"{"setPosition":{"_0":{"sampleTime":0}}}"#),
    Self.command(#"{"setPosition":{"_0":{"sampleTime":0,"position":[900000001,0]}}}"#),
    Self.command(#"{"setPosition":{"_0":{"sampleTime":0,"position":[0,-1800000001]}}}"#),
    Self.command(#"{"setPosition":{"_0":{"sampleTime":0,"position":[0]}}}"#),
    Self.command(#"{"setPosition":{"_0":{"sampleTime":1e300,"position":[0,0]}}}"#),
    Self.command(#"{"editReport":{"_0":"0a1b","_1":{"category":200}}}"#),
    Self.command(#"{"editReport":{"_0":"0a1b","_1":{"severity":256}}}"#),
    Self.command(#"{"editReport":{"_0":"0a1b","_1":{"status":0}}}"#),
    Self.command(#"{"editFence":{"_0":"0a1b","_1":{"geometry":""}}}"#),
    Self.command(#"{"editFence":{"_0":"0a1b","_1":{"geometry":"A"}}}"#),
    geometry(Specimens.circle.encoded + [0]),
    geometry(Array(Specimens.circle.encoded.dropLast())),
    Self.command(#"{"invite":{"role":0,"uses":1,"validSeconds":1}}"#),
    Self.command(#"{"admit":{"request":"","role":6}}"#),
    Self.command(#"{"admit":{"request":"AB==","role":1}}"#),
  ])
  func `a value out of range is rejected`(json: String) {
    #expect(throws: ControlFault.self) { try ControlMessage.request(json.utf8) }
  }

  @Test func `a geometry within the limits is accepted`() throws {
    let found = try ControlMessage.request(Self.geometry(Specimens.circle.encoded).utf8)
    #expect(found == .command(.editFence("0a1b", FenceChanges(geometry: Specimens.circle))))
  }

  @Test(arguments: [
    #"{"created":{"_0":"0102"}}"#, #"{"created":{"_0":"000000000000000100000000000000zz"}}"#,
    #"{"status":{"_0":{}}}"#, #"{"verification":{"_0":{}}}"#, #"{"users":{"_0":[{}]}}"#,
    #"{"devices":{"_0":[{}]}}"#, #"{"reports":{"_0":[{}]}}"#, #"{"fences":{"_0":[{}]}}"#,
    #"{"events":{"_0":[{}]}}"#, #"{"invitation":{}}"#, #"{"changes":{"_0":[1,2,3]}}"#,
    #"{"refused":{}}"#,
  ])
  func `a reply without a required member is rejected`(json: String) {
    #expect(throws: ControlFault.self) { try ControlMessage.reply(json.utf8) }
  }

  @Test(arguments: [
    ("\"devices\":4", "\"devices\":0"), ("\"address\":\"wAACAQ==\"", "\"address\":\"wAAC\""),
  ])
  func `a value that its type cannot hold is rejected`(good: String, bad: String) throws {
    let replies = Specimens.replies.map {
      String(decoding: ControlMessage.encode($0), as: UTF8.self)
    }
    let reply = try #require(replies.first { $0.contains(good) })
    let (start, end) = try #require(
      reply.firstRange(of: good).map { ($0.lowerBound, $0.upperBound) })
    #expect(throws: ControlFault.self) {
      try ControlMessage.reply((reply[..<start] + bad + reply[end...]).utf8)
    }
  }

  @Test func `a rejection keeps its kind`() throws {
    for kind in [RefusalKind.unfit, .unknown, .notAllowed, .changed, .notNow] {
      let reply = Reply.refused("no", kind)
      #expect(try ControlMessage.reply(ControlMessage.encode(reply)) == reply)
    }
  }

  @Test func `damaged bytes are rejected or read as another message, and never trap`() {
    let commands = Specimens.commands.map { ControlMessage.encode(.command($0)) }
    let replies = Specimens.replies.map { ControlMessage.encode($0) }
    var (refused, read) = (0, 0)
    func attempt(_ bytes: [UInt8], isCommand: Bool) {
      do throws(ControlFault) {
        if isCommand {
          _ = try ControlMessage.request(bytes)
        } else {
          _ = try ControlMessage.reply(bytes)
        }
        read += 1
      } catch { refused += 1 }
    }
    for (number, message) in (commands + replies).enumerated() {
      // A few bytes of each long message are damaged; other tests damage the rest.
      let step = message.count / 200 + 1
      for index in stride(from: number % step, to: message.count, by: step) {
        attempt(Array(message[..<index]), isCommand: number < commands.count)
        for mask: UInt8 in [0x01, 0x08, 0x80] {
          var damaged = message
          damaged[index] ^= mask
          attempt(damaged, isCommand: number < commands.count)
        }
      }
    }
    #expect(refused > 1000)
    #expect(read > 100)
  }
}
