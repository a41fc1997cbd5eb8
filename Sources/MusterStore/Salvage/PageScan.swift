internal import Foundation
internal import MusterModel
internal import SQLiteSeal

/// The contents of the pages of a damaged database and its write-ahead log, regardless of its
/// header, trees and schema: each page is examined individually.
///
/// Frames and keys are recognized by the form of their rows, and verified by their hashes later.
/// Partly damaged and superseded pages are therefore examined too.
struct PageScan {
  /// The location of a row.
  struct Place {
    /// The log's ref in the damaged database, and the sequence.
    let place: Int64
    let isInLog: Bool
    /// The number of the page in the database.
    let number: UInt32
    /// The offset of the page in its file.
    let page: Int
    /// The offset of the row in its page.
    let offset: Int
  }

  /// Sorted by place; copies of one frame are adjacent.
  private(set) var frames: [Place] = []
  private(set) var keys: Set<StoredEpochKey> = []
  /// The logs and how far they reached, by their refs, from undamaged pages only.
  private(set) var logs: [Int64: KnownHead] = [:]
  private let path: String
  private let seal: PageSeal

  init(path: String, seal: PageSeal) throws(StoreError) {
    self.path = path
    self.seal = seal
    try scanDatabase()
    try scanLog()
    // Stable: copies stay in the order in which they were found.
    frames.sort { $0.place < $1.place }
  }

  private mutating func scanLog() throws(StoreError) {
    do {
      _ = try WriteAheadLog.read(path + "-wal", seal: seal) { frame in
        note(
          frame.page, number: frame.number, at: frame.offset, isInLog: true,
          isSound: frame.isValid)
      }
    } catch {
      throw StoreError(error)
    }
  }

  private mutating func scanDatabase() throws(StoreError) {
    guard FileManager.default.fileExists(atPath: path) else { return }
    do {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      var offset = 0
      while var page = try Self.page(of: file, at: offset) {
        let number = UInt32(truncatingIfNeeded: offset / PageSeal.pageBytes + 1)
        let isSound = open(&page, number: number)
        page.withUnsafeBytes {
          note($0, number: number, at: offset, isInLog: false, isSound: isSound)
        }
        offset += PageSeal.pageBytes
      }
      try file.close()
    } catch {
      throw StoreError.io("cannot read the damaged database")
    }
  }

  /// Decrypts a page as far as possible. Returns whether it authenticates. An incomplete page has
  /// no nonce and cannot be read.
  private func open(_ page: inout Data, number: UInt32) -> Bool {
    guard page.count == PageSeal.pageBytes else {
      page.removeAll()
      return false
    }
    return page.withUnsafeMutableBytes { seal.openDamaged($0.baseAddress!, number: number) }
  }

  /// Returns nil at the end of the file, and empty data if the disk cannot read the page.
  private static func page(of file: FileHandle, at offset: Int) throws -> Data? {
    do {
      try file.seek(toOffset: UInt64(offset))
      guard let page = try file.read(upToCount: PageSeal.pageBytes), !page.isEmpty else {
        return nil
      }
      return page
    } catch {
      return try file.seekToEnd() > offset ? Data() : nil
    }
  }

  private mutating func note(
    _ page: UnsafeRawBufferPointer, number: UInt32, at offset: Int, isInLog: Bool, isSound: Bool
  ) {
    LeafPage.forEachRow(page, isFirst: number == 1) { row in
      switch row.columns.count {
      case 6...8 where SalvagedRow(row) != nil:
        frames.append(
          Place(
            place: row.id, isInLog: isInLog, number: number, page: offset, offset: row.offset))
      case 2:
        if let id = row.columns[0].bytes16, let key = row.columns[1].bytes32 {
          keys.insert(StoredEpochKey(id: EpochID(raw: id), key: key))
        }
      case 13... where isSound:
        if let head = Self.head(row) { logs[row.id] = head }
      default: break
      }
    }
  }

  /// Returns the head of a log. For a strand, that of its log, which is used to hash and find its
  /// frames.
  private static func head(_ row: LeafPage.Row) -> KnownHead? {
    guard let log = row.columns[1].bytes16, let certificate = row.columns[2].bytes32,
      row.columns[3].bytes16 != nil, case .integer(let sequence) = row.columns[6],
      row.columns[7].bytes32 != nil, sequence >= 0, UInt64(sequence) <= Limits.lastSequence
    else { return nil }
    let origin = row.columns[8].bytes16
    return KnownHead(
      log: LogID(raw: origin ?? log), certificate: CertificateHash(raw: certificate),
      sequence: UInt64(sequence))
  }

  /// Calls `body` with each readable frame, in order of places.
  func forEachFrame(_ body: (Int64, SalvagedRow) throws -> Void) throws {
    guard !frames.isEmpty else { return }
    let database = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    let log =
      frames.contains(where: \.isInLog)
      ? try FileHandle(forReadingFrom: URL(fileURLWithPath: path + "-wal")) : database
    var opened: (isInLog: Bool, offset: Int, page: Data)?
    for frame in frames {
      if opened?.isInLog != frame.isInLog || opened?.offset != frame.page {
        guard var page = try Self.page(of: frame.isInLog ? log : database, at: frame.page) else {
          continue
        }
        _ = open(&page, number: frame.number)
        opened = (frame.isInLog, frame.page, page)
      }
      let row = opened?.page.withUnsafeBytes { page in
        LeafPage.row(page, at: frame.offset).flatMap(SalvagedRow.init)
      }
      if let row = row ?? nil { try body(frame.place, row) }
    }
  }
}

/// The columns of a frame's row.
struct SalvagedRow: Hashable {
  let name: Bytes16
  let rest: Bytes16
  let epoch: Bytes16?
  let body: [UInt8]
  let signature: [UInt8]?
  let blobs: [BlobListing]

  /// Returns nil for a row of another form. Rows of earlier versions have no moment of arrival, and
  /// no list of blobs.
  init?(_ row: LeafPage.Row) {
    guard (6...8).contains(row.columns.count), case .null = row.columns[0],
      let name = row.columns[1].bytes16, let rest = row.columns[2].bytes16,
      case .blob(let body) = row.columns[4], row.id >> 32 > 0
    else { return nil }
    switch row.columns[3] {
    case .null: epoch = nil
    case .blob(let bytes) where bytes.count == 16: epoch = row.columns[3].bytes16
    default: return nil
    }
    switch row.columns[5] {
    case .null: signature = nil
    case .blob(let bytes): signature = [UInt8](bytes)
    default: return nil
    }
    do {
      if row.columns.count == 8, case .blob(let bytes) = row.columns[7] {
        blobs = try BlobListing.decode([UInt8](bytes))
      } else {
        blobs = []
      }
    } catch {
      return nil
    }
    self.name = name
    self.rest = rest
    self.body = [UInt8](body)
  }
}

extension LeafPage.Column {
  var bytes16: Bytes16? {
    guard case .blob(let bytes) = self, bytes.count == 16 else { return nil }
    return Bytes16(Array(bytes))
  }

  var bytes32: Bytes32? {
    guard case .blob(let bytes) = self, bytes.count == 32 else { return nil }
    return Bytes32(Array(bytes))
  }
}
