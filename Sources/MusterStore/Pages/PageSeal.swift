internal import Foundation
public import MusterCrypto
internal import MusterModel
internal import Synchronization

/// Seals every page that goes to a disk, so that whoever takes the disk reads nothing, and whatever
/// becomes of its bytes is noticed.
///
///     page of the database, of the log   text (4,056) ‖ nonce (24) ‖ tag (16)
///
/// Additional data are the page's number, so that one which belongs elsewhere does not hold. A page
/// is sealed alike in the database and in its log, and copied from there as it is. Of page 1 the
/// first hundred bytes, SQLite's header, stay in the clear, since SQLite reads them by themselves:
/// they count as additional data too. SQLite leaves the last forty bytes of each page free, and
/// must find zeros there.
///
/// No nonce is ever used twice: each seal draws the first sixteen bytes of its own, and counts in
/// the others.
public final class PageSeal: Sendable {
  static let pageBytes = 4096
  /// What each page leaves free for nonce and tag.
  static let reservedBytes = PageKey.nonceBytes + PageKey.tagBytes
  static let textBytes = pageBytes - reservedBytes
  /// SQLite's header of a database.
  static let headerBytes = 100

  private let key: PageKey
  private let noncePrefix: Bytes16
  private let sealed = Atomic<UInt64>(0)
  private let logs = Mutex<[String: LogFrames]>([:])

  /// - Parameters:
  ///   - key: of the device whose database it is.
  ///   - seed: 32 bytes for the nonces, used nowhere else.
  public init(key: PageKey, seed: [UInt8]) {
    self.key = key
    var random = DeterministicRandom(seed: seed)
    noncePrefix = random.bytes16()
  }

  /// The frames of the log of the database at this path, for all who have it open.
  func logFrames(ofDatabaseAt path: String) -> LogFrames {
    logs.withLock { logs in
      if let frames = logs[path] { return frames }
      let frames = LogFrames()
      logs[path] = frames
      return frames
    }
  }

  /// Seals a page where it lies. Numbers of pages count from 1.
  func seal(_ page: UnsafeMutableRawPointer, number: UInt32) {
    let nonce = page + Self.textBytes
    nonce.storeBytes(of: noncePrefix.high.bigEndian, as: UInt64.self)
    nonce.storeBytes(of: noncePrefix.low.bigEndian, toByteOffset: 8, as: UInt64.self)
    let count = sealed.wrappingAdd(1, ordering: .relaxed).oldValue
    nonce.storeBytes(of: count.bigEndian, toByteOffset: 16, as: UInt64.self)
    let clearBytes = Self.clearBytes(ofPage: number)
    withAdditionalData(page, number) { additionalData in
      key.seal(
        UnsafeMutableRawBufferPointer(
          start: page + clearBytes, count: Self.textBytes - clearBytes),
        tag: nonce + PageKey.nonceBytes, nonce: nonce, additionalData: additionalData)
    }
  }

  /// Opens a page where it lies, and leaves zeros where nonce and tag were, as SQLite left them;
  /// false for a page that is not as it was sealed, of which nothing is left to read.
  func open(_ page: UnsafeMutableRawPointer, number: UInt32) -> Bool {
    let nonce = page + Self.textBytes
    let clearBytes = Self.clearBytes(ofPage: number)
    let isSound = withAdditionalData(page, number) { additionalData in
      key.open(
        UnsafeMutableRawBufferPointer(
          start: page + clearBytes, count: Self.textBytes - clearBytes),
        tag: nonce + PageKey.nonceBytes, nonce: nonce, additionalData: additionalData)
    }
    nonce.initializeMemory(as: UInt8.self, repeating: 0, count: Self.reservedBytes)
    return isSound
  }

  /// Whether a page is as it was sealed.
  func holds(_ page: UnsafeRawPointer, number: UInt32) -> Bool {
    let nonce = page + Self.textBytes
    let clearBytes = Self.clearBytes(ofPage: number)
    return withAdditionalData(page, number) { additionalData in
      key.holds(
        UnsafeRawBufferPointer(start: page + clearBytes, count: Self.textBytes - clearBytes),
        tag: nonce + PageKey.nonceBytes, nonce: nonce, additionalData: additionalData)
    }
  }

  /// Opens what is left of a page, where it lies; answers whether it is as it was sealed.
  func openWreck(_ page: UnsafeMutableRawPointer, number: UInt32) -> Bool {
    if holds(page, number: number) { return open(page, number: number) }
    let nonce = page + Self.textBytes
    let clearBytes = Self.clearBytes(ofPage: number)
    key.decipher(
      UnsafeMutableRawBufferPointer(start: page + clearBytes, count: Self.textBytes - clearBytes),
      nonce: nonce)
    nonce.initializeMemory(as: UInt8.self, repeating: 0, count: Self.reservedBytes)
    return false
  }

  /// What hides the checksum in the header of a frame of the log: SQLite computes it of the page's
  /// text, and differences of checksums would tell differences of texts.
  ///
  /// - Parameters:
  ///   - header: of the frame, of which the first sixteen bytes count.
  ///   - offset: of the frame in the log.
  func mask(for header: UnsafeRawPointer, at offset: Int64) -> UInt64 {
    withUnsafeTemporaryAllocation(byteCount: 24, alignment: 8) { place in
      place.storeBytes(of: offset.bigEndian, as: Int64.self)
      (place.baseAddress! + 8).copyMemory(from: header, byteCount: 16)
      return key.mask(for: UnsafeRawBufferPointer(place))
    }
  }

  private static func clearBytes(ofPage number: UInt32) -> Int {
    number == 1 ? headerBytes : 0
  }

  /// The number of the page at this offset of the database; nil where no page can begin.
  static func number(ofPageAt offset: Int64) -> UInt32? {
    guard offset >= 0, offset % Int64(pageBytes) == 0 else { return nil }
    return UInt32(exactly: offset / Int64(pageBytes) + 1)
  }

  /// What tells a sealed page from every other.
  static func mark(of page: UnsafeRawPointer) -> UInt64 {
    (page + textBytes + PageKey.nonceBytes).loadUnaligned(as: UInt64.self)
  }

  private func withAdditionalData<Result>(
    _ page: UnsafeRawPointer, _ number: UInt32, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    let clearBytes = Self.clearBytes(ofPage: number)
    return withUnsafeTemporaryAllocation(byteCount: 4 + clearBytes, alignment: 8) { data in
      data.storeBytes(of: number.bigEndian, as: UInt32.self)
      if clearBytes > 0 {
        (data.baseAddress! + 4).copyMemory(from: page, byteCount: clearBytes)
      }
      return body(UnsafeRawBufferPointer(data))
    }
  }
}
