internal import CZlib

/// Decompression of gzip (RFC 1952) and deflate (RFC 1951) from an untrusted source, with a limit
/// of the result.
enum Gzip {
  /// What is around the compressed data.
  enum Form: Int32 {
    /// A header and a checksum, with the largest window.
    case gzip = 31
    /// Nothing, as in ZIP archives.
    case raw = -15
  }

  /// Why bytes cannot be decompressed.
  struct Fault: Error, Hashable, CustomStringConvertible {
    let description: String
  }

  private static let pieceBytes = 64 * 1024
  static func isGzip(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1F, 0x8B]) }

  /// Returns the content of the first member.
  ///
  /// - Parameter limit: the most bytes that the result may have.
  static func inflated(
    _ bytes: [UInt8], form: Form = .gzip, limit: Int
  ) throws(Fault) -> [UInt8] {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    guard inflateInit2_(&stream, form.rawValue, ZLIB_VERSION, size) == Z_OK else {
      throw Fault(description: "there is not enough memory to decompress it")
    }
    defer { inflateEnd(&stream) }
    var input = bytes
    var piece = [UInt8](repeating: 0, count: pieceBytes)
    var result: [UInt8] = []
    var code = Z_OK
    input.withUnsafeMutableBufferPointer { input in
      stream.next_in = input.baseAddress
      stream.avail_in = UInt32(clamping: input.count)
      while code == Z_OK, result.count <= limit {
        piece.withUnsafeMutableBufferPointer { piece in
          stream.next_out = piece.baseAddress
          stream.avail_out = UInt32(piece.count)
          code = inflate(&stream, Z_NO_FLUSH)
          result += piece.prefix(piece.count - Int(stream.avail_out))
        }
      }
    }
    guard result.count <= limit else {
      throw Fault(description: "it is larger than \(limit) bytes when decompressed")
    }
    guard code == Z_STREAM_END else { throw Fault(description: "its compressed data is damaged") }
    return result
  }
}
