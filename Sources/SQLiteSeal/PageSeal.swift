internal import Foundation
public import MusterCrypto
internal import MusterModel
internal import Synchronization

/// Seals every page that is written to disk: its contents are confidential, and any modification is
/// detected.
///
///     page of the database, of the log   text (4,056) ‖ nonce (24) ‖ tag (16)
///
/// The additional data are the page's number, so that a page in another position fails
/// authentication. A page is sealed in the same way in the database and in its log, and copied
/// unchanged. The first hundred bytes of page 1, SQLite's header, are in plaintext, since SQLite
/// reads them separately: they are additional data too. SQLite reserves the last forty bytes of
/// each page, and expects zeros there.
///
/// Nonces are unique: each instance draws sixteen bytes at random and counts in eight more. The key
/// derives the nonce from these and from the page, since a virtual machine that is resumed twice
/// from one snapshot repeats both.
public final class PageSeal: Sendable {
  package static let pageBytes = 4096
  /// The bytes reserved in each page for nonce and tag.
  static let reservedBytes = PageKey.nonceBytes + PageKey.tagBytes
  package static let textBytes = pageBytes - reservedBytes
  /// SQLite's header of a database.
  static let headerBytes = 100

  private let key: PageKey
  private let noncePrefix: Bytes16
  private let sealed = Atomic<UInt64>(0)
  private let logs = Mutex<[String: LogFrames]>([:])

  /// Creates a seal.
  ///
  /// - Parameters:
  ///   - key: the key of the device that owns the database.
  ///   - seed: 32 bytes for the nonces, used nowhere else.
  public init(key: PageKey, seed: [UInt8]) {
    self.key = key
    var random = DeterministicRandom(seed: seed)
    noncePrefix = random.bytes16()
  }

  /// Returns the log frames of the database at this path, shared by all its connections.
  func logFrames(ofDatabaseAt path: String) -> LogFrames {
    logs.withLock { logs in
      if let frames = logs[path] { return frames }
      let frames = LogFrames()
      logs[path] = frames
      return frames
    }
  }

  /// Seals a page in place. Page numbers start at 1.
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

  /// Opens a page in place, and zeros nonce and tag as SQLite expects. Returns false and clears the
  /// page if authentication fails.
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

  /// Returns whether a page authenticates.
  func holds(_ page: UnsafeRawPointer, number: UInt32) -> Bool {
    let nonce = page + Self.textBytes
    let clearBytes = Self.clearBytes(ofPage: number)
    return withAdditionalData(page, number) { additionalData in
      key.holds(
        UnsafeRawBufferPointer(start: page + clearBytes, count: Self.textBytes - clearBytes),
        tag: nonce + PageKey.nonceBytes, nonce: nonce, additionalData: additionalData)
    }
  }

  /// Decrypts a damaged page in place, for salvage. Returns whether it authenticates.
  package func openDamaged(_ page: UnsafeMutableRawPointer, number: UInt32) -> Bool {
    if holds(page, number: number) { return open(page, number: number) }
    let nonce = page + Self.textBytes
    let clearBytes = Self.clearBytes(ofPage: number)
    key.decipher(
      UnsafeMutableRawBufferPointer(start: page + clearBytes, count: Self.textBytes - clearBytes),
      nonce: nonce)
    nonce.initializeMemory(as: UInt8.self, repeating: 0, count: Self.reservedBytes)
    return false
  }

  /// Returns the mask of the checksum in a log frame's header: SQLite computes it over the
  /// plaintext, so it would reveal whether pages differ.
  ///
  /// - Parameters:
  ///   - header: the frame's header, of which the first sixteen bytes are used.
  ///   - offset: the offset of the frame in the log.
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

  /// Returns the number of the page at this offset of the database; nil if no page begins there.
  static func number(ofPageAt offset: Int64) -> UInt32? {
    guard offset >= 0, offset % Int64(pageBytes) == 0 else { return nil }
    return UInt32(exactly: offset / Int64(pageBytes) + 1)
  }

  /// Returns an identifier of a sealed page.
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
