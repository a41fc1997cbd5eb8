internal import Foundation
public import MusterCrypto
internal import MusterModel
internal import Synchronization

/// Seals every page that goes to a disk, so that whoever takes the disk reads nothing, and whatever
/// becomes of its bytes is noticed.
///
///     page of the database, of the log   text (4,056) ‖ nonce (24) ‖ tag (16)
///
/// Additional data are the file and the page's place in it, so that a page which belongs elsewhere
/// does not hold. Of the database's page 1 the first hundred bytes, SQLite's header, stay in the
/// clear, since SQLite reads them by themselves: they count as additional data too. SQLite leaves
/// the last forty bytes of each page free, and must find zeros there.
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

  /// Where a page lies.
  enum Place {
    case database(offset: Int64)
    case log(offset: Int64)
  }

  private let key: PageKey
  private let noncePrefix: Bytes16
  private let sealed = Atomic<UInt64>(0)

  /// - Parameters:
  ///   - key: of the device whose database it is.
  ///   - seed: 32 bytes for the nonces, used nowhere else.
  public init(key: PageKey, seed: [UInt8]) {
    self.key = key
    var random = DeterministicRandom(seed: seed)
    noncePrefix = random.bytes16()
  }

  /// Seals a page where it lies.
  func seal(_ page: UnsafeMutableRawPointer, at place: Place) {
    let nonce = page + Self.textBytes
    nonce.storeBytes(of: noncePrefix.high.bigEndian, as: UInt64.self)
    nonce.storeBytes(of: noncePrefix.low.bigEndian, toByteOffset: 8, as: UInt64.self)
    let number = sealed.wrappingAdd(1, ordering: .relaxed).oldValue
    nonce.storeBytes(of: number.bigEndian, toByteOffset: 16, as: UInt64.self)
    let clearBytes = Self.clearBytes(at: place)
    withAdditionalData(page, place) { additionalData in
      key.seal(
        UnsafeMutableRawBufferPointer(
          start: page + clearBytes, count: Self.textBytes - clearBytes),
        tag: nonce + PageKey.nonceBytes, nonce: nonce, additionalData: additionalData)
    }
  }

  /// Opens a page where it lies, and leaves zeros where nonce and tag were, as SQLite left them;
  /// false for a page that is not as it was sealed, of which nothing is left to read.
  func open(_ page: UnsafeMutableRawPointer, at place: Place) -> Bool {
    let nonce = page + Self.textBytes
    let clearBytes = Self.clearBytes(at: place)
    let isSound = withAdditionalData(page, place) { additionalData in
      key.open(
        UnsafeMutableRawBufferPointer(
          start: page + clearBytes, count: Self.textBytes - clearBytes),
        tag: nonce + PageKey.nonceBytes, nonce: nonce, additionalData: additionalData)
    }
    nonce.initializeMemory(as: UInt8.self, repeating: 0, count: Self.reservedBytes)
    return isSound
  }

  /// Whether a page is as it was sealed.
  func holds(_ page: UnsafeRawPointer, at place: Place) -> Bool {
    let nonce = page + Self.textBytes
    let clearBytes = Self.clearBytes(at: place)
    return withAdditionalData(page, place) { additionalData in
      key.holds(
        UnsafeRawBufferPointer(start: page + clearBytes, count: Self.textBytes - clearBytes),
        tag: nonce + PageKey.nonceBytes, nonce: nonce, additionalData: additionalData)
    }
  }

  /// Opens what is left of a page, where it lies; answers whether it is as it was sealed.
  func openWreck(_ page: UnsafeMutableRawPointer, at place: Place) -> Bool {
    if holds(page, at: place) { return open(page, at: place) }
    let nonce = page + Self.textBytes
    let clearBytes = Self.clearBytes(at: place)
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

  private static func clearBytes(at place: Place) -> Int {
    if case .database(offset: 0) = place { headerBytes } else { 0 }
  }

  private func withAdditionalData<Result>(
    _ page: UnsafeRawPointer, _ place: Place, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    let clearBytes = Self.clearBytes(at: place)
    return withUnsafeTemporaryAllocation(byteCount: 9 + clearBytes, alignment: 8) { data in
      let (file, offset): (UInt8, Int64) =
        switch place {
        case .database(let offset): (1, offset)
        case .log(let offset): (2, offset)
        }
      data[0] = file
      data.storeBytes(of: offset.bigEndian, toByteOffset: 1, as: Int64.self)
      if clearBytes > 0 {
        (data.baseAddress! + 9).copyMemory(from: page, byteCount: clearBytes)
      }
      return body(UnsafeRawBufferPointer(data))
    }
  }
}
