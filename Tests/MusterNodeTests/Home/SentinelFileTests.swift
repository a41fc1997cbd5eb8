import Foundation
import MusterModel
import Testing

@testable import MusterNode

@Suite("The sentinel on disk")
struct SentinelFileTests {
  private let scratch: ScratchFolder
  private let device = DeviceID(raw: Bytes16(high: 0xAB, low: 1))

  init() throws { scratch = try ScratchFolder() }

  private var directory: String { scratch.path + "/deep/state" }
  private var file: SentinelFile { SentinelFile(directory: directory, device: device) }
  private let secondSlot = UInt64(SentinelFile.slotStride)

  private func sentinel(_ sequence: UInt64, incarnation: UInt64 = 1) -> Sentinel {
    Sentinel(
      incarnation: Incarnation(raw: Bytes16(high: 0, low: incarnation)), generation: 3,
      sequences: [.control: 0, .state: sequence],
      database: DatabaseIdentity(fileSystem: 5, fileNumber: 6))
  }

  @Test func `before the first write it is missing, and reading creates no file`() throws {
    #expect(try file.read() == .missing)
    #expect(!FileManager.default.fileExists(atPath: directory))
  }

  @Test func `the last write is read, by the same object and after the next start`() throws {
    let writer = file
    for sequence in UInt64(0)..<5 {
      try writer.write(sentinel(sequence))
      #expect(try writer.read() == .found(sentinel(sequence)))
      #expect(try file.read() == .found(sentinel(sequence)))
    }
    let next = file
    for sequence in UInt64(5)..<8 {
      try next.write(sentinel(sequence))
      #expect(try file.read() == .found(sentinel(sequence)))
    }
  }

  @Test func `sequences may decrease: the last write counts, not the highest`() throws {
    let writer = file
    try writer.write(sentinel(9))
    try writer.write(sentinel(2, incarnation: 2))

    #expect(try file.read() == .found(sentinel(2, incarnation: 2)))
  }

  @Test func `each device has its own`() throws {
    let other = SentinelFile(directory: directory, device: DeviceID(raw: .zero))
    try file.write(sentinel(1))
    #expect(try other.read() == .missing)
    try other.write(sentinel(2))

    #expect(try file.read() == .found(sentinel(1)))
    #expect(file.path == "\(directory)/\(device).sentinel")
  }

  @Test func `other users cannot write to it`() throws {
    try file.write(sentinel(1))

    #expect(try OnDisk.mode(of: file.path) == 0o600)
    #expect(try OnDisk.mode(of: directory) == 0o700)
    try OnDisk.setMode(0o777, of: directory)
    #expect(throws: HomeError.exposed(directory, .unwritableByOthers)) {
      try file.write(sentinel(2))
    }
  }

  @Test func `a torn write leaves the previous record`() throws {
    let writer = file
    for sequence in UInt64(0)..<4 { try writer.write(sentinel(sequence)) }
    // When the power fails while the newest record, in the second slot, is partly on disk
    try OnDisk.overwrite(file.path, at: secondSlot + 40, [UInt8](repeating: 0xFF, count: 30))

    #expect(try file.read() == .found(sentinel(2)))

    // Then the next write uses the torn slot, and keeps the intact one
    let next = file
    try next.write(sentinel(10))
    #expect(try file.read() == .found(sentinel(10)))
    try OnDisk.overwrite(file.path, at: secondSlot, [0])
    #expect(try file.read() == .found(sentinel(2)))
  }

  @Test func `a write interrupted anywhere leaves the sentinel before or after it`() throws {
    try file.write(sentinel(1))
    try file.write(sentinel(2))
    let before = try OnDisk.bytes(at: file.path)
    try file.write(sentinel(3))
    let after = try OnDisk.bytes(at: file.path)
    #expect(before.count == after.count)

    for stage in 0...SentinelSlot.byteCount {
      try OnDisk.overwrite(file.path, at: 0, Array(after[..<stage] + before[stage...]))
      let read = try file.read()
      #expect(read == .found(sentinel(2)) || read == .found(sentinel(3)), "after \(stage) bytes")
    }
    #expect(try file.read() == .found(sentinel(3)))
  }

  @Test func `without an intact slot it is damaged, and can be written again`() throws {
    try file.write(sentinel(1))
    try OnDisk.overwrite(file.path, at: 20, [0xFF])
    #expect(try file.read() == .damaged)
    try Data().write(to: URL(fileURLWithPath: file.path))
    #expect(try file.read() == .damaged)
    try Data("not a sentinel".utf8).write(to: URL(fileURLWithPath: file.path))
    #expect(try file.read() == .damaged)

    try file.write(sentinel(4))

    #expect(try file.read() == .found(sentinel(4)))
  }

  @Test func `a file truncated anywhere never traps and never yields a wrong record`() throws {
    let writer = file
    try writer.write(sentinel(1))
    try writer.write(sentinel(2))
    let whole = try OnDisk.bytes(at: file.path)

    for count in stride(from: 0, to: whole.count, by: 13) {
      try Data(whole[..<count]).write(to: URL(fileURLWithPath: file.path))
      let expected: Sentinel.Reading =
        count >= SentinelSlot.byteCount ? .found(sentinel(1)) : .damaged
      #expect(try file.read() == expected)
    }
  }

  @Test func `a link or a pipe at the path is rejected`() throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try OnDisk.setMode(0o700, of: directory)
    let victim = try scratch.file("victim", [1])
    try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: victim)
    #expect(throws: HomeError.notAFile(file.path)) { try file.read() }
    #expect(throws: HomeError.notAFile(file.path)) { try file.write(sentinel(1)) }
    #expect(try OnDisk.bytes(at: victim) == [1])

    try FileManager.default.removeItem(atPath: file.path)
    #expect(mkfifo(file.path, 0o600) == 0)
    #expect(throws: HomeError.notAFile(file.path)) { try file.write(sentinel(1)) }
  }
}

@Suite("The encoding of the sentinel")
struct SentinelSlotTests {
  private let slot = SentinelSlot(
    counter: 0x0102,
    sentinel: Sentinel(
      incarnation: Incarnation(raw: Bytes16(high: 0x1111, low: 0x2222)), generation: 7,
      sequences: [.control: 3, .urgent: 0, .history: Limits.lastSequence],
      database: DatabaseIdentity(fileSystem: 0x33, fileNumber: 0x44)))

  @Test func `it is as specified, byte for byte`() throws {
    let expected =
      "4d55535453454e54" + "01" + "0000000000000102"
      + "00000000000011110000000000002222" + "00000007"
      + "0000000000000033" + "0000000000000044" + "0b"
      + "0000000000000003" + "0000000000000000" + "0000000000000000" + "00000000ffffffff"
    #expect(Hex.encode(slot.bytes.dropLast(4)) == expected)
    #expect(slot.bytes.count == SentinelSlot.byteCount)
    #expect(SentinelSlot.byteCount == 90)
  }

  @Test func `it is read back unchanged, and distinguishes an empty log from none`() throws {
    #expect(try SentinelSlot(bytes: slot.bytes) == slot)
  }

  @Test func `every flipped bit is detected`() {
    for position in slot.bytes.indices {
      for bit in 0..<8 {
        var bytes = slot.bytes
        bytes[position] ^= 1 << bit
        #expect(throws: DecodingFault.self) { try SentinelSlot(bytes: bytes) }
      }
    }
  }

  @Test func `numbers that would overflow are rejected, even with a valid checksum`() {
    var beyond = [slot, slot, slot]
    beyond[0].counter = .max
    beyond[1].sentinel.generation = Limits.lastGeneration + 1
    beyond[2].sentinel.sequences[.state] = Limits.lastSequence + 1
    for slot in beyond {
      #expect(throws: DecodingFault.self) { try SentinelSlot(bytes: slot.bytes) }
    }
  }

  @Test func `the checksum matches the standard`() {
    #expect(CRC32.checksum(Array("123456789".utf8)) == 0xCBF4_3926)
    #expect(CRC32.checksum([]) == 0)
  }
}
