internal import MusterModel

/// Decompresses the files of an archive of a stranger, by `muster-file`.
///
/// Not thread-safe: the owner serializes access. Its functions block.
public final class Inflater {
  let helper: FileHelper

  /// Starts nothing yet.
  ///
  /// - Parameter program: the path of `muster-file`; nil for the one beside this program.
  public init(program: String? = nil) { helper = FileHelper(program: program) }

  /// Returns the content of deflated bytes (RFC 1951).
  ///
  /// - Parameter limit: the most bytes that it may have.
  public func inflated(
    _ bytes: ArraySlice<UInt8>, limit: Int
  ) throws(ForeignFileFault) -> [UInt8] {
    var request = ByteWriter()
    request.append(UInt8(2))
    request.append(UInt32(clamping: limit))
    request.append(fixed: Array(bytes))
    var content: [UInt8] = []
    try helper.ask(request) { piece in
      guard case .content(let part) = piece, content.count + part.count <= limit else {
        throw DecodingFault.invalid("piece")
      }
      content += part
      return true
    }
    return content
  }
}
