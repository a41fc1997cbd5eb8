internal import SwiftProtobuf

extension SwiftProtobuf.Message {
  /// Parses bytes from outside; whatever is wrong with them is a `WireError`.
  init(parsing bytes: [UInt8]) throws(WireError) {
    do {
      var options = BinaryDecodingOptions()
      options.messageDepthLimit = 8
      try self.init(serializedBytes: bytes, options: options)
    } catch {
      throw .malformed("not a \(Self.protoMessageName)")
    }
  }

  var bytes: [UInt8] {
    do {
      return try serializedBytes()
    } catch {
      // Fails only for proto2's required fields and for messages over 2 GiB: we have neither.
      preconditionFailure("\(Self.protoMessageName) cannot be encoded: \(error)")
    }
  }
}
