import MusterCrypto
import MusterModel
import Testing

@Suite("Blobs")
struct BlobTests {
  private static let drawn = Bytes32(Array(1...32))!

  private static func photo(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
  }

  private static func listing(_ bytes: [UInt8]) -> BlobListing {
    BlobListing(root: BlobTree(of: bytes).root, length: UInt32(bytes.count), kind: .original)!
  }

  private static func unit(_ number: Int, of bytes: [UInt8]) -> BlobUnit {
    BlobTree(of: bytes).unit(number, of: bytes)
  }

  @Test("every unit of blobs of many sizes is proved by its leaves and its path")
  func proofs() {
    let unit = BlobShape.unitBytes
    for size in [1, 1023, 1024, 1025, unit, unit + 1, 3 * unit, 5 * unit - 7, 20 * unit + 1] {
      let bytes = Self.photo(size)
      let (tree, listing) = (BlobTree(of: bytes), Self.listing(bytes))
      for number in 0..<tree.shape.units {
        let proof = tree.proof(of: number)
        #expect(proof.isValid(for: number, of: listing))
        #expect(Self.unit(number, of: bytes).isValid(for: listing))
        #expect(Self.unit(number, of: bytes).proof() == proof)
        for (index, leaf) in tree.shape.leaves(of: number).enumerated() {
          #expect(proof.isLeaf(Array(bytes[tree.shape.bytes(ofLeaf: leaf)]), at: index))
        }
      }
    }
  }

  @Test("a proof fits one datagram even for the largest blob")
  func largest() {
    let shape = BlobShape(length: Limits.blobBytes)
    #expect(shape.units == 512 && shape.mostPathCount == 9)
    #expect((BlobShape.leavesPerUnit + shape.mostPathCount) * 32 == 800)
  }

  @Test("units in any order are proved by the hashes that are still missing")
  func nodes() throws {
    for length in [1, 16_384, 16_385, 100_000, 300_000, 1_000_003] {
      let content = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 9) }
      let tree = BlobTree(of: content)
      let listing = try #require(
        BlobListing(root: tree.root, length: UInt32(length), kind: .original))
      var (nodes, sent) = (BlobNodes(of: listing), 0)
      let units = tree.shape.units
      for unit in (0..<units).map({ ($0 * 7 + 3) % units }) + Array(0..<units) {
        let proof = tree.proof(of: unit)
        let missing = nodes.missing(of: unit)
        sent += missing
        // A changed sibling or leaf leads elsewhere, and changes nothing.
        var siblings = Array(proof.path.prefix(missing))
        if missing > 0 {
          siblings[missing - 1] = .zero
          for refused in [siblings, siblings.dropLast()] {
            let path = nodes.verify(unit, leaves: proof.leaves, siblings: refused)
            #expect(path == nil)
          }
        }
        var leaves = proof.leaves
        leaves[0] = .zero
        siblings = Array(proof.path.prefix(missing))
        let forged = nodes.verify(unit, leaves: leaves, siblings: siblings)
        #expect(forged == nil && nodes.missing(of: unit) == missing)
        let path = nodes.verify(unit, leaves: proof.leaves, siblings: siblings)
        #expect(path == proof.path && nodes.missing(of: unit) == 0)
      }
      // Each node of the tree is sent or computed once.
      #expect(sent <= units + 9)
      let beyond = nodes.verify(units, leaves: [.zero], siblings: [])
      #expect(beyond == nil)
    }
  }

  @Test("a changed leaf, path, number, length or root is not accepted")
  func forgeries() {
    let bytes = Self.photo(5 * BlobShape.unitBytes)
    let listing = Self.listing(bytes)
    let genuine = Self.unit(2, of: bytes)
    var changed = genuine.bytes
    changed[5000] ^= 1
    func forged(
      _ number: Int = 2, path: [Bytes32]? = nil, bytes: [UInt8]? = nil, length: Int? = nil
    ) -> BlobUnit {
      BlobUnit(
        blob: genuine.blob, length: length ?? genuine.length, number: number,
        path: path ?? genuine.path, bytes: bytes ?? genuine.bytes)
    }
    let forgeries = [
      forged(bytes: changed), forged(3), forged(9), forged(-1),
      forged(path: genuine.path.reversed()), forged(path: []), forged(bytes: []),
      forged(bytes: Array(genuine.bytes.dropLast())), forged(length: genuine.length - 1),
    ]
    #expect(genuine.isValid(for: listing))
    for forgery in forgeries { #expect(!forgery.isValid(for: listing)) }
    // then a list that lies about the length names another blob, which no unit proves
    let longer = BlobListing(root: listing.root, length: listing.length + 1, kind: .original)!
    #expect(longer.id != listing.id)
    #expect(!Self.unit(4, of: bytes).isValid(for: longer))
  }

  @Test("a node is no leaf, so a blob cannot be presented as a shorter one")
  func tags() {
    let bytes = Self.photo(2048)
    let proof = BlobTree(of: bytes).proof(of: 0)
    let joined = proof.leaves.flatMap(\.bytes)
    #expect(BlobTree(of: joined).root != BlobTree(of: bytes).root)
  }

  @Test("a blob is decrypted as a whole and in ranges")
  func ranges() {
    let plain = Self.photo(40_000)
    var sealed = plain
    let (key, tree) = BlobCipher.seal(&sealed, drawn: Self.drawn)
    #expect(sealed != plain && tree.root == BlobTree(of: sealed).root)
    var whole = sealed
    BlobCipher(key: key).apply(to: &whole)
    #expect(whole == plain)
    for unit in 0..<tree.shape.units {
      let range = tree.shape.bytes(of: unit)
      var part = Array(sealed[range])
      BlobCipher(key: key).apply(to: &part, at: range.lowerBound)
      #expect(part == Array(plain[range]))
    }
  }

  @Test("the same drawn bytes give two photos two keys")
  func keys() {
    var (first, second, again) = (Self.photo(100), Self.photo(101), Self.photo(100))
    let keys = [
      BlobCipher.seal(&first, drawn: Self.drawn).key,
      BlobCipher.seal(&second, drawn: Self.drawn).key,
      BlobCipher.seal(&again, drawn: Self.drawn).key,
    ]
    #expect(keys[0] != keys[1] && keys[0] == keys[2])
  }
}
