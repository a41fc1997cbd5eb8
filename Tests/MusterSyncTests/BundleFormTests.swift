import MusterCrypto
import MusterModel
import Testing

@testable import MusterSync

@Suite("Bytes of a bundle")
struct BundleFormTests {
  private let cast: Cast
  private let device: LocalDevice
  private let carried: [BundleItem]

  init() {
    var cast = Cast(seed: 5)
    device = cast.enrol(.command)
    self.cast = cast
    var pen = Pen(device, epoch: cast.epoch, seed: 1)
    let frames = pen.write(3, in: .urgent).1
    let station = Station(device, number: 1, epoch: cast.epoch, now: Instant(microseconds: 0))
    // As they come out again: inner signatures stay behind, but for those at the intervals.
    var run = frames
    for index in 1..<run.count - 1 { run[index].signature = nil }
    let key = BundledKey(
      epoch: cast.epoch.id, device: device.device,
      box: [UInt8](repeating: 7, count: BundledKey.boxBytes))
    carried = [
      .chain(device.chain.certificates), .frames(run), .records([station.position(7)]),
      .keys([key, key]),
    ]
  }

  /// The file, and where each of its pieces ends.
  private func file(_ pieces: [BundleItem]) -> (bytes: [UInt8], ends: [Int]) {
    var random = DeterministicRandom(seed: Cast.seed(8))
    let form = BundleForm(of: device, salt: random.bytes16())
    var (bytes, ends) = (form.header, [Int]())
    for (number, piece) in pieces.enumerated() {
      bytes += form.sealed(piece, number: UInt64(number), nonce: random.nonce24())
      ends.append(bytes.count)
    }
    return (bytes, ends)
  }

  /// All that can be read, and why no more can.
  private func read(
    _ bytes: [UInt8], of local: LocalDevice? = nil
  ) throws -> (pieces: [BundleReader.Piece], fault: BundleReader.Fault?, consumed: Int) {
    var reader = try #require(BundleReader(bytes, at: [], of: local ?? device))
    var pieces: [BundleReader.Piece] = []
    do throws(BundleReader.Fault) {
      while let piece = try reader.next() { pieces.append(piece) }
      return (pieces, nil, reader.consumed)
    } catch {
      return (pieces, error, reader.consumed)
    }
  }

  @Test func `what is written is read again`() throws {
    let (bytes, _) = file(carried + [.end])
    let (pieces, fault, consumed) = try read(bytes)
    #expect(pieces == carried.map { .contents([$0]) } + [.end])
    #expect(fault == nil && consumed == bytes.count)
  }

  @Test func `the header matches the documentation, byte for byte`() throws {
    let (bytes, ends) = file([.end])
    #expect(BundleForm.headerBytes == 53)
    #expect(Array(bytes.prefix(16)) == Array("muster bundle 2\n".utf8))
    #expect(bytes[16] == RulesVersion.current.raw)
    let salt = Array(bytes[17..<33])
    let tag = Array("muster bundle 2".utf8)
    #expect(Array(bytes[33..<49]) == Blake2b.hash128(tag, cast.operation.bytes, salt).bytes)
    let check = Blake2b.hash128(tag, Array(bytes[..<49])).bytes.prefix(4)
    #expect(Array(bytes[49..<53]) == Array(check))
    // One byte of plaintext: 4 of length, 24 of nonce, 16 of tag.
    #expect(ends == [53 + 4 + 24 + 1 + 16])
    #expect(Array(bytes[53..<57]) == [0, 0, 0, 41])
  }

  @Test func `cut off at any byte, what was whole is read, and nothing else`() throws {
    let (bytes, ends) = file(carried + [.end])
    for count in 0..<bytes.count {
      let (pieces, fault, consumed) = try read(Array(bytes.prefix(count)))
      let whole = ends.filter { $0 <= count }
      #expect(fault == nil && pieces.count == whole.count, "\(count) bytes")
      let header = count >= BundleForm.headerBytes ? BundleForm.headerBytes : 0
      #expect(consumed == whole.last ?? header, "\(count) bytes")
      #expect(!pieces.contains(.end) && !pieces.contains(.damaged))
    }
  }

  @Test func `of any flipped bit something is noticed, and the pieces before it are whole`() throws
  {
    let (bytes, ends) = file(carried + [.end])
    for place in bytes.indices {
      for bit in 0..<8 {
        var flipped = bytes
        flipped[place] ^= 1 << UInt8(bit)
        let (pieces, fault, _) = try read(flipped)
        let before = ends.filter { $0 <= place }.count
        #expect(
          pieces.prefix(before) == carried.prefix(before).map { .contents([$0]) }[...],
          "bit \(bit) of byte \(place)")
        let isNoticed = fault != nil || pieces.contains(.damaged) || pieces.last != .end
        #expect(isNoticed, "bit \(bit) of byte \(place)")
      }
    }
  }

  @Test func `pieces that are left out, doubled or swapped are noticed`() throws {
    let (bytes, ends) = file(carried + [.end])
    let parts = zip([BundleForm.headerBytes] + ends, ends).map { Array(bytes[$0..<$1]) }
    let header = Array(bytes.prefix(BundleForm.headerBytes))
    let orders = [[1, 2, 3, 4], [0, 0, 1, 2, 3, 4], [1, 0, 2, 3, 4], [4]]
    for order in orders {
      let (pieces, _, _) = try read(header + order.flatMap { parts[$0] })
      #expect(pieces.contains(.damaged), "\(order)")
    }
  }

  @Test func `pieces of another bundle are no part of this one`() throws {
    var random = DeterministicRandom(seed: Cast.seed(9))
    let other = BundleForm(of: device, salt: random.bytes16())
    let piece = other.sealed(carried[0], number: 0, nonce: random.nonce24())
    let header = Array(file([]).bytes)
    #expect(try read(header + piece).pieces == [.damaged])
  }

  @Test func `a reader without the network key learns nothing but lengths`() throws {
    // Given a reader that knows the operation, but not its network key
    var random = cast.random
    let outsider = cast.certify(
      signingKey: random.signingKey(), agreementKey: random.agreementKey(), role: .member,
      networkKey: random.sealingKey())
    let (bytes, _) = file(carried + [.end])
    let (pieces, _, _) = try read(bytes, of: outsider)
    #expect(pieces == [BundleReader.Piece](repeating: .damaged, count: 5))
    // and one that searches for names in it.
    let names = [cast.operation.bytes, device.device.bytes, device.certificate.hash.bytes]
    for name in names {
      let isThere = bytes.indices.contains { bytes[$0...].starts(with: name) }
      #expect(!isThere)
    }
  }

  @Test func `a file that is no bundle is recognized`() throws {
    let (bytes, _) = file([.end])
    var newer = bytes
    newer[14] = UInt8(ascii: "3")
    #expect(try read(newer).fault == .newerVersion)
    #expect(try read(Array("PK\u{3}\u{4}".utf8)).fault == .notABundle)
    var damaged = bytes
    damaged[40] ^= 1
    #expect(try read(damaged).fault == .damagedHeader)
    var other = Cast(seed: 6)
    let stranger = other.enrol(.command)
    #expect(try read(bytes, of: stranger).fault == .otherOperation)
    #expect(try read([]).pieces.isEmpty)
  }

  @Test func `of a bundle made under other rules nothing is read`() throws {
    let (bytes, _) = file(carried + [.end])
    var other = device
    other.rulesVersion = try #require(RulesVersion(raw: RulesVersion.current.raw + 1))
    let (pieces, fault, consumed) = try read(bytes, of: other)
    #expect(pieces.isEmpty && fault == .otherRules(.peer) && consumed == 0)
    let newer = BundleForm(of: other, salt: Bytes16(high: 1, low: 2))
    #expect(try read(newer.header).fault == .otherRules(.thisLaptop))
    // One of a program that states no rules, and its beginning alone
    let old = Array("muster bundle 1\n".utf8) + bytes.dropFirst(17)
    #expect(try read(old).fault == .otherRules(.peer))
    #expect(try read(Array(old.prefix(15))).fault == nil)
    // A piece is bound to the rules: it opens under no other header.
    let (salt, nonce) = (Bytes16(high: 1, low: 2), random24)
    let piece = BundleForm(of: device, salt: salt).sealed(carried[0], number: 0, nonce: nonce)
    #expect(try read(newer.header + piece, of: other).pieces == [.damaged])
  }

  private var random24: Nonce24 {
    var random = cast.random
    return random.nonce24()
  }

  @Test func `invalid lengths end it`() throws {
    let header = file([]).bytes
    for length in [0, 40, 65_537, 0xFFFF_FFFF] as [UInt32] {
      var writer = ByteWriter()
      writer.append(length)
      #expect(try read(header + writer.bytes).fault == .lost, "\(length)")
    }
  }

  @Test func `an absent position decodes as none`() {
    for count in [1, 23, 25, 100] {
      let position = [UInt8](repeating: 1, count: count)
      #expect(BundleReader([], at: position, of: device) == nil)
    }
    #expect(BundleReader([], at: [UInt8](repeating: 0xFF, count: 24), of: device) == nil)
  }
}
