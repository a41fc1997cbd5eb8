internal import Foundation

/// Examination of a whole database file without SQLite.
extension PageSeal {
  private static let chunkPages = 256
  /// The offset in page 1 of the database size in pages, and of the file version for which it is
  /// valid.
  private static let pageCountOffset = 28
  /// The offset in page 1 of the number of reserved bytes per page.
  private static let reservedOffset = 20
  private static let magic = Array("SQLite format 3\0".utf8)
  /// An empty database has more pages than this.
  private static let fewPages = 4

  /// Reads a whole database file and returns its damage; empty if there is none. The file MUST NOT
  /// be written in the meantime.
  package func problems(ofFile path: String) throws(SealFault) -> [String] {
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

  /// Returns whether a database file is complete but none of its pages authenticates: it belongs to
  /// another key.
  package func isForeign(_ path: String) throws(SealFault) -> Bool {
    let survey = try survey(path)
    return survey.isDatabase && survey.damaged == survey.pages && survey.pages > Self.fewPages
  }

  /// Returns whether a database file was written before pages were sealed.
  package func isUnsealed(_ path: String) throws(SealFault) -> Bool {
    guard FileManager.default.fileExists(atPath: path) else { return false }
    do {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      defer { close(file) }
      guard let page = try file.read(upToCount: Self.pageBytes), page.count == Self.pageBytes else {
        return false
      }
      // The type of a b-tree page, inner or leaf. If sealed, it can be any byte.
      let isTree = [2, 5, 10, 13].contains(page[Self.headerBytes])
      return page.starts(with: Self.magic) && page[Self.reservedOffset] == 8 && isTree
    } catch {
      throw SealFault(reason: "cannot read the database file")
    }
  }

  private struct Survey {
    var pages = 0
    var damaged = 0
    var firstDamaged: Int?
    var promisedPages = 0
    /// Bytes after the last page.
    var rest = 0
    /// Whether page 1 begins like that of a database with sealed pages.
    var isDatabase = false
  }

  private func survey(_ path: String) throws(SealFault) -> Survey {
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
      throw SealFault(reason: "cannot read the database file")
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
    // It was only read: an error of closing it changes nothing.
    do { try file.close() } catch {}
  }
}
