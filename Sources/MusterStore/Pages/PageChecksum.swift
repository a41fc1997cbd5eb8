internal import Foundation

/// The last eight bytes of each page of a database file: a checksum of the others and of the
/// page's place.
///
/// Every change of up to eight neighbouring bytes is found for certain, since each step of the
/// computation can be undone; a page of zeros, or one that belongs elsewhere, is found but once in
/// 2^64. It guards against disks, not against people.
enum PageChecksum {
  static let pageBytes = 4096
  /// What each page leaves free for it.
  static let reservedBytes = 8
  private static let coveredBytes = pageBytes - reservedBytes

  /// - Parameters:
  ///   - page: `pageBytes` long.
  ///   - offset: of the page in its file.
  static func isSound(_ page: UnsafeRawPointer, at offset: Int64) -> Bool {
    let stored = page.loadUnaligned(fromByteOffset: coveredBytes, as: UInt64.self)
    return UInt64(littleEndian: stored) == checksum(of: page, at: offset)
  }

  static func seal(_ page: UnsafeMutableRawPointer, at offset: Int64) {
    let checksum = checksum(of: page, at: offset)
    page.storeBytes(of: checksum.littleEndian, toByteOffset: coveredBytes, as: UInt64.self)
  }

  private static func checksum(of page: UnsafeRawPointer, at offset: Int64) -> UInt64 {
    var mixed = UInt64(bitPattern: offset) ^ 0x9E37_79B9_7F4A_7C15
    var index = 0
    while index < coveredBytes {
      mixed ^= UInt64(littleEndian: page.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      mixed = mixed &* 0xFF51_AFD7_ED55_8CCD
      mixed ^= mixed >> 32
      index += 8
    }
    return mixed
  }
}

extension PageChecksum {
  private static let chunkPages = 256
  /// Where page 1 says of how many pages the database is, and SQLite's number of the version that
  /// said so.
  private static let pageCountOffset = 28

  /// Reads a whole database file, and says what of it is damaged: nothing when all is well. Nobody
  /// may write to the file meanwhile.
  static func problems(ofFile path: String) throws(StoreError) -> [String] {
    do {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      defer { close(file) }
      var pages = 0
      var damaged: [Int] = []
      var promisedPages = 0
      var rest = 0
      while let chunk = try file.read(upToCount: chunkPages * pageBytes), !chunk.isEmpty {
        chunk.withUnsafeBytes { bytes in
          if pages == 0, bytes.count >= pageBytes {
            let count = bytes.loadUnaligned(fromByteOffset: pageCountOffset, as: UInt32.self)
            promisedPages = Int(UInt32(bigEndian: count))
          }
          for offset in stride(from: 0, through: bytes.count - pageBytes, by: pageBytes) {
            let start = bytes.baseAddress! + offset
            if !isSound(start, at: Int64(pages * pageBytes)) { damaged.append(pages + 1) }
            pages += 1
          }
          rest = bytes.count % pageBytes
        }
      }
      return describe(damaged, of: pages, promised: promisedPages, rest: rest)
    } catch {
      throw StoreError.io("cannot read the database file")
    }
  }

  private static func close(_ file: FileHandle) {
    // It was read only: what closing it says changes nothing.
    do { try file.close() } catch {}
  }

  private static func describe(
    _ damaged: [Int], of pages: Int, promised: Int, rest: Int
  ) -> [String] {
    var problems: [String] = []
    if let first = damaged.first {
      problems.append("\(damaged.count) of \(pages) pages are damaged, the first is page \(first)")
    }
    if damaged.first != 1, pages < promised || rest > 0 {
      problems.append("the file ends after \(pages) of \(promised) pages")
    }
    return problems
  }
}
