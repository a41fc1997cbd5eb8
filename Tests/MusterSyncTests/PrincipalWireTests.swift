import MusterModel
import Testing

@testable import MusterSync

/// The person or login that a device wrote for: an attribute of a frame body (decision 0101).
@Suite("Principals on the wire")
struct PrincipalWireTests {
  private let person = UserID(raw: Bytes16(high: 7, low: 8))
  private let written = Timestamp(milliseconds: 1_800_000_000_000)

  private func body(for principal: Principal?) -> FrameBody {
    FrameBody(writtenAt: written, contents: .operations([]), onBehalfOf: principal)
  }

  @Test func `are read back as they were written`() throws {
    let longest = String(repeating: "é", count: 32)
    for principal: Principal? in [.person(person), .login("Rui"), .login(longest), nil] {
      let body = body(for: principal)
      #expect(try FrameBody(decoding: body.encoded(writesAt: nil), writesAt: nil) == body)
    }
  }

  @Test func `cost nothing for the device's own user`() {
    let sizes = [nil, .login("Rui"), .person(person)].map { (principal: Principal?) in
      body(for: principal).encoded(writesAt: nil).count
    }
    print("bytes of bodies without a principal, for a login and for a person:", sizes)
    #expect(sizes[1] == sizes[0] + 6 && sizes[2] == sizes[0] + 19)
  }

  @Test func `are counted by the packer, with and without a stamp`() throws {
    let boot = BootID(raw: Bytes16(high: 7, low: 8))
    let reading = try #require(Stamp(boot: boot, milliseconds: 1 << 47))
    let echoes = (1...4).map { StampedRecordID(raw: Bytes16(high: 9, low: $0)) }
    let login = try #require(Principal(login: String(repeating: "r", count: 64)))
    let row = RowID(raw: Bytes16(high: 1, low: 1))
    for stamp in [nil, RecordStamp(reading, echoes: echoes)] {
      let place = WritePosition(
        operation: OperationID(raw: Bytes16(high: 2, low: 2)), author: person, sequence: 9)
      var packer = FrameBodyPacker(
        writtenAt: written, stamp: stamp, onBehalfOf: login, writesAt: place)
      let write = Write(row: row, field: .reportComments, value: .text("x"))
      while packer.add([.write(write)], knowing: RowMentions()) {}
      let size = packer.encoded().count
      #expect((Limits.framePlaintextBytes - 40...Limits.framePlaintextBytes).contains(size))
    }
  }

  @Test func `of another form are none, and leave the body as it is`() throws {
    let malformed: [[UInt8]] = [
      [], [0], [3, 1], [1], [1] + [UInt8](repeating: 1, count: 15),
      [1] + [UInt8](repeating: 1, count: 17), [2], [2, 0x0A], [2, 0xFF], [2, 0x20],
      [2] + [UInt8](repeating: 0x61, count: 65), [2, 0xE2, 0x80, 0xAE],
    ]
    for bytes in malformed {
      let wire = WireFrameBody.with {
        $0.writtenAt = written.milliseconds
        $0.onBehalfOf = .init(bytes)
      }
      #expect(try FrameBody(decoding: wire.bytes, writesAt: nil) == body(for: nil), "\(bytes)")
    }
  }

  @Test func `of a login are the beginning of its name, and never break a character`() {
    #expect(Principal(login: "Rui") == .login("Rui"))
    #expect(
      Principal(login: String(repeating: "é", count: 40))
        == .login(
          String(repeating: "é", count: 32)))
    #expect(
      Principal(login: "a" + String(repeating: "é", count: 40))
        == .login(
          "a" + String(repeating: "é", count: 31)))
    #expect(Principal(login: "") == nil && Principal(login: "a\nb") == nil)
  }
}
