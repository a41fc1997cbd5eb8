import MusterModel
import Testing

@Suite("Blob lists and unit sets")
struct BlobListTests {
  private static func entry(_ low: UInt64, _ length: UInt32, _ kind: BlobKind) -> BlobListing {
    BlobListing(
      root: Bytes32(prefix: .zero, suffix: Bytes16(high: 0, low: low)), length: length, kind: kind)!
  }

  @Test("a list is read back as written, and only in its one order")
  func lists() throws {
    let list = [Self.entry(1, 9, .thumbnail), Self.entry(2, 300_000, .original)]
    let bytes = BlobListing.encoded(list)
    #expect(bytes.count == 74)
    #expect(try BlobListing.decode(bytes) == list)
    #expect(try BlobListing.decode([]).isEmpty)
    for bad in [list.reversed(), [list[0], list[0]]] {
      #expect(throws: DecodingFault.self) { try BlobListing.decode(BlobListing.encoded(bad)) }
    }
    for length in 1..<bytes.count where length != BlobListing.encodedBytes {
      #expect(throws: DecodingFault.self) { try BlobListing.decode(Array(bytes[..<length])) }
    }
    let third = BlobListing.encoded(list + [Self.entry(3, 9, .original)])
    #expect(throws: DecodingFault.self) { try BlobListing.decode(third) }
  }

  @Test("lengths out of range are no blobs")
  func lengths() {
    let root = Bytes32.zero
    #expect(BlobListing(root: root, length: 0, kind: .original) == nil)
    #expect(BlobListing(root: root, length: UInt32(Limits.blobBytes), kind: .original) != nil)
    #expect(BlobListing(root: root, length: UInt32(Limits.blobBytes) + 1, kind: .original) == nil)
    #expect(BlobListing(root: root, length: 24 << 10, kind: .thumbnail) != nil)
    #expect(BlobListing(root: root, length: 24 << 10 + 1, kind: .thumbnail) == nil)
  }

  @Test("leaves and units cover a blob exactly once")
  func shapes() {
    for length in [1, 1024, 1025, 16_384, 16_385, 100_000] {
      let shape = BlobShape(length: length)
      #expect((0..<shape.units).flatMap { Array(shape.bytes(of: $0)) } == Array(0..<length))
      #expect((0..<shape.units).flatMap { Array(shape.leaves(of: $0)) } == Array(0..<shape.leaves))
      #expect(
        (0..<shape.leaves).flatMap { Array(shape.bytes(ofLeaf: $0)) } == Array(0..<length))
    }
  }

  @Test("a unit set counts each unit once, and is read back")
  func sets() {
    var set = UnitSet(units: 19)
    #expect(set.isEmpty && !set.contains(0) && !set.contains(19) && !set.contains(-1))
    for unit in [0, 8, 18, 8] { set.insert(unit) }
    #expect(set.count == 3 && set.bytes == [1, 1, 4])
    #expect(UnitSet(bytes: set.bytes, units: 19) == set)
    // A set that is filled and emptied again equals one that never had a bitmap.
    for count in [1, 8, 19, 512] {
      var filled = UnitSet(units: count)
      for unit in 0..<count {
        filled.insert(unit)
        #expect(filled.contains(unit) && filled.isComplete == (unit == count - 1))
      }
      #expect(filled == .all(count) && UnitSet(bytes: filled.bytes, units: count) == filled)
      for unit in 0..<count { filled.remove(unit) }
      #expect(filled == UnitSet(units: count) && filled.bytes.allSatisfy { $0 == 0 })
    }
    #expect(UnitSet(bytes: [1, 1], units: 19) == nil)
    #expect(UnitSet(bytes: [0, 0, 8], units: 19) == nil)
    #expect(set.remove(8) && !set.remove(8) && set.count == 2)
    #expect(UnitSet.all(19).isComplete && UnitSet.all(8).bytes == [255])
  }
}
