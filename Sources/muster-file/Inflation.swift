import CZlib

/// Decompression of deflate (RFC 1951), as in ZIP archives.
enum Inflation {
  private static let pieceBytes = 64 * 1024
  /// No header and no checksum, with the largest window.
  private static let raw: Int32 = -15
  private static let damaged = Failure("its compressed data is damaged")

  /// - Parameter limit: the most bytes that the content may have.
  static func inflate(
    _ bytes: ArraySlice<UInt8>, limit: Int, into answer: inout Answer
  ) throws(Failure) {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    // zlib keeps the address of the stream.
    let code = try withUnsafeMutablePointer(to: &stream) { stream throws(Failure) in
      guard inflateInit2_(stream, raw, ZLIB_VERSION, size) == Z_OK else {
        throw Failure("there is not enough memory to decompress it")
      }
      defer { inflateEnd(stream) }
      var input = Array(bytes)
      return try inflate(&input, by: stream, limit, into: &answer)
    }
    guard code == Z_STREAM_END else { throw damaged }
  }

  /// Returns the last code of zlib.
  private static func inflate(
    _ input: inout [UInt8], by stream: UnsafeMutablePointer<z_stream>, _ limit: Int,
    into answer: inout Answer
  ) throws(Failure) -> Int32 {
    stream.pointee.avail_in = UInt32(input.count)
    var (used, total, code) = (0, 0, Z_OK)
    while code == Z_OK {
      let piece = [UInt8](unsafeUninitializedCapacity: pieceBytes) { output, count in
        input.withUnsafeMutableBufferPointer { input in
          stream.pointee.next_in = input.baseAddress?.advanced(by: used)
          stream.pointee.next_out = output.baseAddress
          stream.pointee.avail_out = UInt32(output.count)
          code = CZlib.inflate(stream, Z_NO_FLUSH)
        }
        count = output.count - Int(stream.pointee.avail_out)
      }
      used = input.count - Int(stream.pointee.avail_in)
      total += piece.count
      guard total <= limit else {
        throw Failure("it is larger than \(limit) bytes when decompressed")
      }
      if !piece.isEmpty { try answer.add(.content, piece) }
    }
    return code
  }
}
