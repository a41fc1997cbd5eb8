import Foundation
import MusterCrypto
import MusterModel
import Testing

@testable import SQLiteSeal

/// `keys/test-vectors/pages.json`: pages that another implementation sealed.
struct PageVectorTests {
  private struct Vectors: Decodable {
    struct Page: Decodable {
      let number: UInt32
      let sealed: String
    }

    struct Mask: Decodable {
      let offset: Int64
      let header: String
      let mask: String
    }

    let seed: String
    let pages: [Page]
    let mask: Mask
  }

  private let vectors: Vectors
  private let seal: PageSeal

  init() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "keys/test-vectors/pages.json")
    vectors = try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
    let device = try SigningKey(seed: try Self.bytes(vectors.seed))
    seal = PageSeal(key: PageKey(of: device), seed: [UInt8](repeating: 1, count: 32))
  }

  private static func bytes(_ text: String) throws -> [UInt8] { try #require(Hex.decode(text)) }

  private static func plaintext(ofPage number: UInt32) -> [UInt8] {
    (0..<PageSeal.textBytes).map { UInt8(truncatingIfNeeded: $0 * 31 + Int(number)) }
      + [UInt8](repeating: 0, count: PageSeal.reservedBytes)
  }

  private func open(_ page: inout [UInt8], number: UInt32) -> Bool {
    page.withUnsafeMutableBytes { seal.open($0.baseAddress!, number: number) }
  }

  @Test func `a page that another implementation sealed is opened`() throws {
    #expect(vectors.pages.map(\.number) == [1, 2])
    for vector in vectors.pages {
      var page = try Self.bytes(vector.sealed)
      #expect(page.withUnsafeBytes { seal.holds($0.baseAddress!, number: vector.number) })
      #expect(open(&page, number: vector.number))
      #expect(page == Self.plaintext(ofPage: vector.number))
    }
  }

  @Test func `a page at another position, or with one bit changed, is not`() throws {
    for vector in vectors.pages {
      let sealed = try Self.bytes(vector.sealed)
      var moved = sealed
      #expect(!open(&moved, number: vector.number + 2))
      for place in stride(from: 0, to: sealed.count, by: 97) {
        var damaged = sealed
        damaged[place] ^= 1
        #expect(!open(&damaged, number: vector.number), "byte \(place)")
      }
    }
  }

  @Test func `a page that this implementation seals is opened again, and differs each time`() {
    let plaintext = Self.plaintext(ofPage: 2)
    var (first, second) = (plaintext, plaintext)
    first.withUnsafeMutableBytes { seal.seal($0.baseAddress!, number: 2) }
    second.withUnsafeMutableBytes { seal.seal($0.baseAddress!, number: 2) }
    #expect(first != second)
    #expect(open(&first, number: 2) && first == plaintext)
    #expect(open(&second, number: 2) && second == plaintext)
  }

  @Test func `the mask of a checksum is that of another implementation`() throws {
    let header = try Self.bytes(vectors.mask.header)
    let mask = header.withUnsafeBytes { header in
      seal.mask(for: header.baseAddress!, at: vectors.mask.offset)
    }
    #expect(withUnsafeBytes(of: mask, Array.init) == (try Self.bytes(vectors.mask.mask)))
  }
}
