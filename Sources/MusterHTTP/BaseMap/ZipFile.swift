internal import Foundation
internal import MusterNode

/// A ZIP archive (PKWARE APPNOTE 6.3.3) from an untrusted source, in memory: KMZ, for example.
///
/// The names of its files are never used as paths. Its files are bounded in number, and in bytes
/// while `muster-file` decompresses them, whatever the archive states.
struct ZipFile {
  /// Why an archive, or a file of it, cannot be read.
  struct Fault: Error, CustomStringConvertible {
    let description: String
  }

  /// A file in the archive.
  struct Entry: Hashable {
    let name: String
    fileprivate let flags: Int
    fileprivate let method: Int
    fileprivate let packedBytes: Int
    fileprivate let offset: Int
  }

  private static let mostEntries = 10_000
  private static let localHeader: [UInt8] = [0x50, 0x4B, 3, 4]
  private static let directoryHeader: [UInt8] = [0x50, 0x4B, 1, 2]
  private static let endHeader: [UInt8] = [0x50, 0x4B, 5, 6]
  /// The length of the end, which may be before a comment of up to 64 KiB.
  private static let endBytes = 22

  private let bytes: [UInt8]
  private let inflater = Inflater()
  /// The files, in the order of the directory.
  let entries: [Entry]

  static func isZip(_ data: Data) -> Bool {
    data.starts(with: localHeader) || data.starts(with: endHeader)
  }

  /// Reads the directory.
  init(_ data: Data) throws(Fault) {
    bytes = [UInt8](data)
    let last = bytes.count - Self.endBytes
    let end =
      last < 0
      ? nil
      : stride(from: last, through: max(0, last - 0xFFFF), by: -1).first { [bytes] in
        bytes[$0...].starts(with: Self.endHeader)
      }
    guard let end else { throw Fault(description: "the archive is cut off: copy the file again") }
    let count = Self.number(bytes, end + 10, 2)
    guard count <= Self.mostEntries else {
      throw Fault(description: "the archive has more than \(Self.mostEntries) files")
    }
    var offset = Self.number(bytes, end + 16, 4)
    var entries: [Entry] = []
    for _ in 0..<count {
      guard offset + 46 <= end, bytes[offset...].starts(with: Self.directoryHeader) else {
        throw Fault(description: "the directory of the archive is damaged")
      }
      let nameBytes = Self.number(bytes, offset + 28, 2)
      let next =
        offset + 46 + nameBytes + Self.number(bytes, offset + 30, 2)
        + Self.number(bytes, offset + 32, 2)
      guard next <= end else { throw Fault(description: "the directory of the archive is damaged") }
      entries.append(
        Entry(
          name: String(decoding: bytes[(offset + 46)..<(offset + 46 + nameBytes)], as: UTF8.self),
          flags: Self.number(bytes, offset + 8, 2), method: Self.number(bytes, offset + 10, 2),
          packedBytes: Self.number(bytes, offset + 20, 4),
          offset: Self.number(bytes, offset + 42, 4)))
      offset = next
    }
    self.entries = entries
  }

  /// Returns the content of a file.
  ///
  /// - Parameter limit: the most bytes that it may have.
  func content(of entry: Entry, atMost limit: Int) throws(Fault) -> [UInt8] {
    let header = entry.offset
    guard header + 30 <= bytes.count, bytes[header...].starts(with: Self.localHeader) else {
      throw Fault(description: "its place in the archive is damaged")
    }
    guard entry.flags & 1 == 0 else { throw Fault(description: "it is encrypted") }
    let start =
      header + 30 + Self.number(bytes, header + 26, 2) + Self.number(bytes, header + 28, 2)
    let end = start + entry.packedBytes
    guard end <= bytes.count else {
      throw Fault(description: "the archive is cut off: copy the file again")
    }
    switch entry.method {
    case 0:
      guard entry.packedBytes <= limit else {
        throw Fault(description: "it is larger than \(limit) bytes")
      }
      return Array(bytes[start..<end])
    case 8:
      do throws(ForeignFileFault) {
        return try inflater.inflated(bytes[start..<end], limit: limit)
      } catch {
        throw Fault(description: error.description)
      }
    default:
      throw Fault(description: "its compression, method \(entry.method), is not supported")
    }
  }

  /// Returns a number, least significant byte first.
  private static func number(_ bytes: [UInt8], _ offset: Int, _ width: Int) -> Int {
    (0..<width).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
  }
}
