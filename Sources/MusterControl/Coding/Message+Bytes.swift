internal import MusterModel
internal import SwiftProtobuf

extension SwiftProtobuf.Message {
  /// Parses bytes from outside; whatever is wrong with them is a `ControlFault`.
  init(parsing bytes: [UInt8]) throws(ControlFault) {
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

/// Reads one field of a message into a type that cannot be wrong.
enum Checked {
  static func identifier<T: Identifier>(
    _ bytes: some Sequence<UInt8>, _ type: T.Type = T.self
  ) throws(ControlFault) -> T {
    guard let identifier = T(bytes: bytes) else { throw .malformed("\(T.self) not of 16 bytes") }
    return identifier
  }

  static func code<T: RawRepresentable>(
    _ code: UInt32, _ type: T.Type = T.self
  ) throws(ControlFault) -> T where T.RawValue == UInt8 {
    guard let value = UInt8(exactly: code).flatMap(T.init(rawValue:)) else {
      throw .malformed("unknown \(T.self) \(code)")
    }
    return value
  }

  static func integer<T: FixedWidthInteger>(
    _ number: some FixedWidthInteger, _ type: T.Type = T.self
  ) throws(ControlFault) -> T {
    guard let value = T(exactly: number) else {
      throw .malformed("\(number) out of range of \(T.self)")
    }
    return value
  }

  static func geometry(_ bytes: some Sequence<UInt8>) throws(ControlFault) -> FenceGeometry {
    var reader = ByteReader(Array(bytes))
    do {
      let geometry = try FenceGeometry(from: &reader)
      try reader.expectEnd()
      return geometry
    } catch {
      throw .malformed("geometry: \(error)")
    }
  }

  static func stateHash(_ bytes: some Collection<UInt8>) throws(ControlFault) -> StateHash {
    guard let hash = StateHash(bytes: bytes) else { throw .malformed("hash not of 32 bytes") }
    return hash
  }
}

extension Sequence {
  /// `map` that keeps the type of what it throws.
  func checked<T>(
    _ transform: (Element) throws(ControlFault) -> T
  ) throws(ControlFault) -> [T] {
    var results: [T] = []
    results.reserveCapacity(underestimatedCount)
    for element in self { results.append(try transform(element)) }
    return results
  }
}
