internal import CZlib

/// Decompression of gzip (RFC 1952) from an untrusted source, with a limit of the result: of tiles
/// and of the bodies of requests. Archives are decompressed by `muster-file`.
enum Gzip {
  /// Why bytes cannot be decompressed.
  struct Fault: Error, Hashable, CustomStringConvertible {
    let description: String

    fileprivate static let damaged = Fault(description: "its compressed data is damaged")
  }

  static func isGzip(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1F, 0x8B]) }

  /// Returns the content.
  ///
  /// - Parameter limit: the most bytes that the result may have.
  static func inflated(_ bytes: [UInt8], limit: Int) throws(Fault) -> [UInt8] {
    let stream = try GzipStream()
    stream.append(bytes)
    var result: [UInt8] = []
    while let piece = try stream.next() {
      result += piece
      guard result.count <= limit else {
        throw Fault(description: "it is larger than \(limit) bytes when decompressed")
      }
    }
    try stream.checkEnd()
    return result
  }
}

/// Decompression of data that arrives in pieces. The result is bounded by its reader: it comes in
/// pieces of 64 KiB.
final class GzipStream {
  private static let pieceBytes = 64 * 1024
  /// A header and a checksum, with the largest window.
  private static let form: Int32 = 31
  /// The first byte of a member.
  private static let firstByte: UInt8 = 0x1F

  // zlib keeps its address.
  private let stream: UnsafeMutablePointer<z_stream>
  /// Compressed bytes that are not read yet.
  private var input: ArraySlice<UInt8> = []
  private var isEnded = false
  private var mayHaveMore = false

  init() throws(Gzip.Fault) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let size = Int32(MemoryLayout<z_stream>.size)
    guard inflateInit2_(stream, Self.form, ZLIB_VERSION, size) == Z_OK else {
      throw Gzip.Fault(description: "there is not enough memory to decompress it")
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Adds compressed bytes.
  func append(_ bytes: some Sequence<UInt8>) { input += bytes }

  /// Returns the next piece; nil if more compressed bytes are needed. Of several members, the
  /// contents follow each other (RFC 1952 2.2); what else follows a member is left out.
  func next() throws(Gzip.Fault) -> [UInt8]? {
    while !input.isEmpty || mayHaveMore {
      if isEnded {
        guard input.first == Self.firstByte, inflateReset(stream) == Z_OK else {
          input = []
          return nil
        }
        isEnded = false
      }
      let (piece, code) = inflatePiece()
      guard [Z_OK, Z_BUF_ERROR, Z_STREAM_END].contains(code) else { throw .damaged }
      isEnded = code == Z_STREAM_END
      mayHaveMore = !isEnded && piece.count == Self.pieceBytes
      if !piece.isEmpty { return piece }
      if code == Z_BUF_ERROR { return nil }
    }
    return nil
  }

  /// Throws if the compressed bytes so far end within a member.
  func checkEnd() throws(Gzip.Fault) { guard isEnded else { throw .damaged } }

  private func inflatePiece() -> (piece: [UInt8], code: Int32) {
    var code = Z_OK
    let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) { output, count in
      input.withUnsafeMutableBufferPointer { input in
        stream.pointee.next_in = input.baseAddress
        stream.pointee.avail_in = UInt32(clamping: input.count)
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = UInt32(output.count)
        code = inflate(stream, Z_NO_FLUSH)
      }
      count = output.count - Int(stream.pointee.avail_out)
    }
    input.removeFirst(input.count - Int(stream.pointee.avail_in))
    return (piece, code)
  }
}
