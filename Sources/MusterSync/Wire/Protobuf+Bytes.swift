internal import SwiftProtobuf

extension SwiftProtobuf.Message {
  /// Parses received bytes. Throws `malformed` for any error.
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
      // Fails only for required fields of proto2 and for messages over 2 GiB. Muster has neither.
      preconditionFailure("\(Self.protoMessageName) cannot be encoded: \(error)")
    }
  }
}
