internal import Foundation

/// What a whole database file is, read without SQLite.
extension PageSeal {
  private static let chunkPages = 256
  /// Where page 1 says of how many pages the database is, and SQLite's number of the version that
  /// said so.
  private static let pageCountOffset = 28
  /// Where page 1 says how many bytes each page leaves free.
  private static let reservedOffset = 20
  private static let magic = Array("SQLite format 3\0".utf8)
  /// An empty database has more pages than this.
  private static let fewPages = 4

  /// Reads a whole database file, and says what of it is damaged: nothing when all is well. Nobody
  /// may write to the file meanwhile.
  func problems(ofFile path: String) throws(StoreError) -> [String] {
    let survey = try survey(path)
    var problems: [String] = []
    if let first = survey.firstDamaged {
      problems.append(
        "\(survey.damaged) of \(survey.pages) pages are damaged, the first is page \(first)")
    }
    let isShort = survey.pages < survey.promisedPages || survey.rest > 0
    if survey.firstDamaged != 1, isShort {
      problems.append("the file ends after \(survey.pages) of \(survey.promisedPages) pages")
    }
    return problems
  }

  /// Whether a database file is whole, and yet not one of its pages opens: the key is another's.
  func isForeign(_ path: String) throws(StoreError) -> Bool {
    let survey = try survey(path)
    return survey.isDatabase && survey.damaged == survey.pages && survey.pages > Self.fewPages
  }

  /// Whether a database file is of the time before pages were sealed.
  func isUnsealed(_ path: String) throws(StoreError) -> Bool {
    guard FileManager.default.fileExists(atPath: path) else { return false }
    do {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      defer { close(file) }
      guard let page = try file.read(upToCount: Self.pageBytes), page.count == Self.pageBytes else {
        return false
      }
      // A tree's page: an inner one, or one of leaves. Sealed, it is any byte.
      let isTree = [2, 5, 10, 13].contains(page[Self.headerBytes])
      return page.starts(with: Self.magic) && page[Self.reservedOffset] == 8 && isTree
    } catch {
      throw StoreError.io("cannot read the database file")
    }
  }

  private struct Survey {
    var pages = 0
    var damaged = 0
    var firstDamaged: Int?
    var promisedPages = 0
    /// Bytes after the last page.
    var rest = 0
    /// Page 1 begins as that of a database whose pages are sealed.
    var isDatabase = false
  }

  private func survey(_ path: String) throws(StoreError) -> Survey {
    var survey = Survey()
    guard FileManager.default.fileExists(atPath: path) else { return survey }
    do {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      defer { close(file) }
      while let chunk = try file.read(upToCount: Self.chunkPages * Self.pageBytes),
        !chunk.isEmpty
      {
        chunk.withUnsafeBytes { add($0, to: &survey) }
      }
      return survey
    } catch {
      throw StoreError.io("cannot read the database file")
    }
  }

  private func add(_ bytes: UnsafeRawBufferPointer, to survey: inout Survey) {
    if survey.pages == 0, bytes.count >= Self.pageBytes {
      let count = bytes.loadUnaligned(fromByteOffset: Self.pageCountOffset, as: UInt32.self)
      survey.promisedPages = Int(UInt32(bigEndian: count))
      survey.isDatabase =
        bytes.starts(with: Self.magic) && bytes[Self.reservedOffset] == Self.reservedBytes
    }
    for start in stride(from: 0, through: bytes.count - Self.pageBytes, by: Self.pageBytes) {
      survey.pages += 1
      let number = UInt32(truncatingIfNeeded: survey.pages)
      if !holds(bytes.baseAddress! + start, number: number) {
        survey.damaged += 1
        survey.firstDamaged = survey.firstDamaged ?? survey.pages
      }
    }
    survey.rest = bytes.count % Self.pageBytes
  }

  private func close(_ file: FileHandle) {
    // It was read only: what closing it says changes nothing.
    do { try file.close() } catch {}
  }
}
